// The loudest sample of a recording: the largest magnitude of n integers.
//
//   LOADS  samples that a thread reads before it looks at them
//
// Block 256, any grid: the threads stride over the samples. Any n.
extern "C" __global__ void __launch_bounds__(256)
    peak(const int* __restrict__ sample, int* __restrict__ loudest, int n) {
  __shared__ int block_peak;
  if (threadIdx.x == 0)
    block_peak = 0;
  __syncthreads();
  const int stride = gridDim.x * 256;
  int most = 0;
#pragma unroll 1
  for (int i = blockIdx.x * 256 + threadIdx.x; i < n; i += LOADS * stride) {
    int v[LOADS];
#pragma unroll
    for (int k = 0; k < LOADS; ++k)
      v[k] = i + k * stride < n ? sample[i + k * stride] : 0;
#pragma unroll
    for (int k = 0; k < LOADS; ++k)
      most = max(most, abs(v[k]));
  }
  for (int away = 16; away > 0; away /= 2)
    most = max(most, __shfl_down_sync(0xffffffff, most, away));
  if (threadIdx.x % 32 == 0)
    atomicMax(&block_peak, most);
  __syncthreads();
  if (threadIdx.x == 0)
    atomicMax(loudest, block_peak);
}
