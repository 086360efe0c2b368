// Sum of floats: shared-memory tree or shuffles; one atomicAdd per block.
#define tree 1
#define shuffle 2

extern "C" __global__ void __launch_bounds__(BLOCK_SIZE)
reduce(float* out, const float* __restrict__ in, int n) {
  float sum = 0.f;
  const int first = blockIdx.x * BLOCK_SIZE * ITEMS + threadIdx.x;
#pragma unroll
  for (int k = 0; k < ITEMS; ++k) {
    const int i = first + k * BLOCK_SIZE;
    if (i < n) sum += in[i];
  }
#if METHOD == tree
  __shared__ float buf[BLOCK_SIZE];
  buf[threadIdx.x] = sum;
  __syncthreads();
  for (int s = BLOCK_SIZE / 2; s > 0; s >>= 1) {
    if (threadIdx.x < s) buf[threadIdx.x] += buf[threadIdx.x + s];
    __syncthreads();
  }
  if (threadIdx.x == 0) atomicAdd(out, buf[0]);
#else
  __shared__ float warp[BLOCK_SIZE / 32];
  for (int o = 16; o > 0; o >>= 1) sum += __shfl_down_sync(0xffffffffu, sum, o);
  if ((threadIdx.x & 31) == 0) warp[threadIdx.x / 32] = sum;
  __syncthreads();
  if (threadIdx.x < 32) {
    sum = threadIdx.x < BLOCK_SIZE / 32 ? warp[threadIdx.x] : 0.f;
    for (int o = 16; o > 0; o >>= 1) sum += __shfl_down_sync(0xffffffffu, sum, o);
    if (threadIdx.x == 0) atomicAdd(out, sum);
  }
#endif
}

extern "C" __global__ void reduce_reference(float* out, const float* in, int n) {
  double sum = 0;
  for (int i = 0; i < n; ++i) sum += in[i];
  out[0] = (float)sum;
}
