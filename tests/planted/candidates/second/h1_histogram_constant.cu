// gridsmith: VARIANT=per_block SHARED=static_size AGGREGATE=0 WIDTH=4 block_size_x=512 blocks_per_sm=2
// Histogram of bytes: some blocks per SM, counters of its own for each warp, 16 bytes a load. A warp
// whose 512 bytes are all the same adds once, a lane whose 16 bytes are adds once, others one by one.
constexpr int warps = block_size_x / 32;
constexpr unsigned every = 0xffffffffu;

__device__ __forceinline__ void count_word(unsigned* counters, unsigned word) {
  atomicAdd(counters + (word & 255), 1u);
  atomicAdd(counters + (word >> 8 & 255), 1u);
  atomicAdd(counters + (word >> 16 & 255), 1u);
  atomicAdd(counters + (word >> 24), 1u);
}

// Called by all lanes.
__device__ __forceinline__ void count(unsigned* counters, const uint4& v) {
  const unsigned byte = v.x & 255, repeated = byte * 0x01010101u;
  const bool same = v.x == repeated && v.y == repeated && v.z == repeated && v.w == repeated;
  int agree;
  __match_all_sync(every, same ? byte : 256u + threadIdx.x % 32, &agree);
  if (agree) {
    if (threadIdx.x % 32 == 0)
      atomicAdd(counters + byte, 512u);
  } else if (same) {
    atomicAdd(counters + byte, 16u);
  } else {
    count_word(counters, v.x);
    count_word(counters, v.y);
    count_word(counters, v.z);
    count_word(counters, v.w);
  }
}

extern "C" __global__ void __launch_bounds__(block_size_x)
    histogram(const unsigned char* __restrict__ data, unsigned* out, int n, int) {
  __shared__ unsigned counters[warps * 256];
  const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  unsigned* const own = counters + warp * 256;
  // Up to 15 bytes before the first boundary of 16, and up to 511 after the last whole line of a warp.
  const unsigned head = min(unsigned(-(long long)size_t(data)) & 15u, unsigned(n));
  const unsigned lines = (unsigned(n) - head) / 512;
  if (blockIdx.x * warps >= lines && blockIdx.x != gridDim.x - 1)
    return; // nothing left for the block
  for (int i = threadIdx.x; i < warps * 256; i += block_size_x)
    counters[i] = 0;
  __syncthreads();
  const uint4* const from = reinterpret_cast<const uint4*>(data + head) + lane;
  const unsigned step = gridDim.x * warps;
  unsigned line = blockIdx.x * warps + warp;
  for (; line < lines && line + 3 * step < lines; line += 4 * step) {
    uint4 v[4];
#pragma unroll
    for (int l = 0; l < 4; ++l)
      v[l] = from[size_t(line + l * step) * 32];
#pragma unroll
    for (int l = 0; l < 4; ++l)
      count(own, v[l]);
  }
  for (; line < lines; line += step)
    count(own, from[size_t(line) * 32]);
  if (blockIdx.x == gridDim.x - 1) {
    if (threadIdx.x < head)
      atomicAdd(own + data[threadIdx.x], 1u);
    for (unsigned i = head + lines * 512 + threadIdx.x; i < unsigned(n); i += block_size_x)
      atomicAdd(own + data[i], 1u);
  }
  __syncthreads();
  for (int bin = threadIdx.x; bin < 256; bin += block_size_x) {
    unsigned sum = 0;
#pragma unroll
    for (int w = 0; w < warps; ++w)
      sum += counters[w * 256 + bin];
    if (sum > 0)
      atomicAdd(out + bin, sum);
  }
}
