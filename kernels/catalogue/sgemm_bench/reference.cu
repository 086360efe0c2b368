// The reference of sgemm.cu: one element per thread, summed in double. Block (32, 8).
extern "C" __global__ void sgemm_reference(const float* __restrict__ A, const float* __restrict__ B,
                                           float* __restrict__ C, int n) {
  const int column = blockIdx.x * 32 + threadIdx.x, row = blockIdx.y * 8 + threadIdx.y;
  if (row >= n || column >= n)
    return;
  double sum = 0.0;
  for (int k = 0; k < n; ++k)
    sum += (double)A[(size_t)row * n + k] * B[(size_t)k * n + column];
  C[(size_t)row * n + column] = (float)sum;
}
