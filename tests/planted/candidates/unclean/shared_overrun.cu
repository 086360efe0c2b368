// Reads one word past a tile of shared memory, and does not use what it finds.
extern "C" __global__ void __launch_bounds__(block_size_x)
    vector_add(const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ sum, int n) {
  __shared__ volatile float tile[block_size_x];
  tile[threadIdx.x] = 0;
  __syncthreads();
  const float beyond = tile[threadIdx.x + 1];
  asm volatile("" ::"f"(beyond));
  const size_t step = size_t(gridDim.x) * block_size_x;
  for (size_t i = size_t(blockIdx.x) * block_size_x + threadIdx.x; i < size_t(n); i += step)
    sum[i] = a[i] + b[i];
}
