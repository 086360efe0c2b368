// The energy of a signal of n integers: the sum of their squares.
//
//   BLOCK_SUMS  1: a block adds its part to the total, 0: every sample is added to it
//
// Block 256, any grid: the threads stride over the samples. Any n.
extern "C" __global__ void __launch_bounds__(256)
    signal_energy(const int* __restrict__ sample, unsigned long long* __restrict__ total, int n) {
#if BLOCK_SUMS
  unsigned long long sum = 0;
#endif
#pragma unroll 4
  for (int i = blockIdx.x * 256 + threadIdx.x; i < n; i += gridDim.x * 256) {
    const long long v = sample[i];
#if BLOCK_SUMS
    sum += v * v;
#else
    atomicAdd(total, (unsigned long long)(v * v));
#endif
  }
#if BLOCK_SUMS
  __shared__ unsigned long long parts[8];
  for (int away = 16; away > 0; away /= 2)
    sum += __shfl_down_sync(0xffffffff, sum, away);
  if (threadIdx.x % 32 == 0)
    parts[threadIdx.x / 32] = sum;
  __syncthreads();
  if (threadIdx.x == 0) {
    for (int k = 1; k < 8; ++k)
      sum += parts[k];
    atomicAdd(total, sum);
  }
#endif
}
