// Every warp writes the block's number of vectors to the same word of shared memory, without a barrier before it is read.
extern "C" __global__ void __launch_bounds__(block_size_x)
    vector_add(const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ sum, int n) {
  __shared__ volatile int count;
  count = n;
  const int limit = count;
  const size_t step = size_t(gridDim.x) * block_size_x;
  for (size_t i = size_t(blockIdx.x) * block_size_x + threadIdx.x; i < size_t(limit); i += step)
    sum[i] = a[i] + b[i];
}
