// The reference of transpose.cu: one element per thread. Block (32, 8).
extern "C" __global__ void transpose_reference(const float* __restrict__ in,
                                               float* __restrict__ out, int n) {
  const int column = blockIdx.x * 32 + threadIdx.x, row = blockIdx.y * 8 + threadIdx.y;
  if (row < n && column < n)
    out[(size_t)column * n + row] = in[(size_t)row * n + column];
}
