// Sums over the columns of many small squares.
extern "C" __global__ void __launch_bounds__(256)
lattice(float* __restrict__ out, const float* __restrict__ in, int n) {
  __shared__ float square[32 * PITCH];
  const int x = threadIdx.x % 32, y = threadIdx.x / 32;
  float sum = 0;
  for (int s = 0; s < 8; ++s) {
    const float* from = in + ((size_t)blockIdx.x * 8 + s) * 1024;
    for (int row = y; row < 32; row += 8)
      square[row * PITCH + x] = from[row * 32 + x];
    __syncthreads();
#pragma unroll
    for (int k = 0; k < 32; ++k)
      sum = sum * 0.5f + square[x * PITCH + (k + y) % 32];
    __syncthreads();
  }
  out[blockIdx.x * 256 + threadIdx.x] = sum;
}
