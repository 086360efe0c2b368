// Histogram of bytes, 256 bins, added to hist. A block has a counter of every bin for each lane, in the
// lane's own bank: lanes of a warp never wait for each other, whatever the data; warps share them.
// Words are read four at a time where data is aligned.
// gridsmith: BLOCK=512 ITEMS=32
#define LANES 32

__device__ __forceinline__ void count(unsigned* mine, unsigned word) {
  atomicAdd(mine + (word & 255u) * LANES, 1u);
  atomicAdd(mine + (word >> 8 & 255u) * LANES, 1u);
  atomicAdd(mine + (word >> 16 & 255u) * LANES, 1u);
  atomicAdd(mine + (word >> 24) * LANES, 1u);
}

extern "C" __global__ void __launch_bounds__(BLOCK)
    histogram(const unsigned int* __restrict__ data, unsigned int* hist, int nwords) {
  __shared__ __align__(16) unsigned counters[256 * LANES];
  constexpr int words = BLOCK * ITEMS; // of a block
  constexpr int warps = BLOCK / 32;
  const int t = threadIdx.x, lane = t % 32, warp = t / 32;
  for (int i = t; i < 256 * LANES / 4; i += BLOCK)
    reinterpret_cast<uint4*>(counters)[i] = make_uint4(0u, 0u, 0u, 0u);
  __syncthreads();
  unsigned* const mine = counters + lane;
  const size_t base = size_t(blockIdx.x) * words;
  if (ITEMS % 4 == 0 && reinterpret_cast<size_t>(data) % 16 == 0 &&
      base + words <= size_t(nwords)) {
    const uint4* const from = reinterpret_cast<const uint4*>(data + base);
#pragma unroll 4
    for (int i = t; i < words / 4; i += BLOCK) {
      const uint4 four = from[i];
      count(mine, four.x);
      count(mine, four.y);
      count(mine, four.z);
      count(mine, four.w);
    }
  } else {
    for (int i = t; i < words; i += BLOCK)
      if (base + i < size_t(nwords))
        count(mine, data[base + i]);
  }
  __syncthreads();
  // A warp sums 16 bins, and adds them to hist by as many lanes.
  for (int first = warp * 16; first < 256; first += warps * 16) {
    unsigned sum = 0;
#pragma unroll
    for (int b = 0; b < 16; ++b) {
      const unsigned of_bin = __reduce_add_sync(0xffffffffu, counters[(first + b) * LANES + lane]);
      if (lane == b)
        sum = of_bin;
    }
    if (lane < 16 && sum > 0)
      atomicAdd(hist + first + lane, sum);
  }
}
