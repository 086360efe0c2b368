// Records (level, amount): the amounts' low six bits are added up by band of |level|, 4096 wide, the
// sixteenth open. A thread reads two records at once, 16 times. Block 256, grid records / 8192.
//
//   COPIES  of the bands in a block: 1, or 32, one for each lane
constexpr int threads = 256, loads = 16, batch = 4, bands = 16;

__device__ __forceinline__ void add(unsigned* sums, int level, int amount) {
  const int band = min(abs(level) >> 12, bands - 1);
  atomicAdd(&sums[band * COPIES + threadIdx.x % COPIES], amount & 63);
}

extern "C" __global__ void __launch_bounds__(threads)
    band_amounts(const int4* __restrict__ records, unsigned* __restrict__ amounts) {
  __shared__ unsigned sums[bands * COPIES];
  for (int i = threadIdx.x; i < bands * COPIES; i += threads)
    sums[i] = 0;
  __syncthreads();
  const int4* mine = records + static_cast<size_t>(blockIdx.x) * threads * loads + threadIdx.x;
#pragma unroll 1
  for (int load = 0; load < loads; load += batch) {
    int4 v[batch];
#pragma unroll
    for (int k = 0; k < batch; ++k)
      v[k] = mine[(load + k) * threads];
#pragma unroll
    for (int k = 0; k < batch; ++k) {
      add(sums, v[k].x, v[k].y);
      add(sums, v[k].z, v[k].w);
    }
  }
  __syncthreads();
  if (threadIdx.x >= bands)
    return;
  unsigned sum = 0;
  for (int k = 0; k < COPIES; ++k) // each thread begins with another copy: another bank
    sum += sums[threadIdx.x * COPIES + (k + threadIdx.x) % COPIES];
  atomicAdd(&amounts[threadIdx.x], sum);
}
