// One system per thread, in double precision, in local memory. Block 64, grid ceil(count / 64).
constexpr int size = 20;

extern "C" __global__ void reference(const float* __restrict__ a, const float* __restrict__ b,
                                     float* __restrict__ x_out, int count) {
  const int i = blockIdx.x * 64 + threadIdx.x;
  if (i >= count)
    return;
  double l[size][size], x[size];
#pragma unroll 1
  for (int row = 0; row < size; ++row)
#pragma unroll 1
    for (int column = 0; column <= row; ++column) {
      double value = a[(row * size + column) * count + i];
#pragma unroll 1
      for (int k = 0; k < column; ++k)
        value -= l[row][k] * l[column][k];
      l[row][column] = row == column ? sqrt(value) : value / l[column][column];
    }
#pragma unroll 1
  for (int row = 0; row < size; ++row) {
    x[row] = b[row * count + i];
#pragma unroll 1
    for (int k = 0; k < row; ++k)
      x[row] -= l[row][k] * x[k];
    x[row] /= l[row][row];
  }
#pragma unroll 1
  for (int row = size - 1; row >= 0; --row) {
#pragma unroll 1
    for (int k = row + 1; k < size; ++k)
      x[row] -= l[k][row] * x[k];
    x[row] /= l[row][row];
    x_out[row * count + i] = float(x[row]);
  }
}
