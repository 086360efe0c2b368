// Half of a warp goes to a barrier that the other half leaves out.
extern "C" __global__ void __launch_bounds__(block_size_x)
    vector_add(const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ sum, int n) {
  if (threadIdx.x % 32 < 16)
    __syncthreads();
  const size_t step = size_t(gridDim.x) * block_size_x;
  for (size_t i = size_t(blockIdx.x) * block_size_x + threadIdx.x; i < size_t(n); i += step)
    sum[i] = a[i] + b[i];
}
