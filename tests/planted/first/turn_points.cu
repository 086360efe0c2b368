// Turns n points about the axis (ax, ay, az), by its length in radians. The matrix is the
// exponential series of the axis' cross product.
//
//   POINTS  of a thread
//
// Block 256, grid ceil(n / (256 * POINTS)). Any n.
struct Matrix {
  float e[3][3];
};

__device__ __forceinline__ Matrix times(const Matrix& a, const Matrix& b, float factor) {
  Matrix c;
#pragma unroll
  for (int i = 0; i < 3; ++i)
#pragma unroll
    for (int j = 0; j < 3; ++j)
      c.e[i][j] = factor * (a.e[i][0] * b.e[0][j] + a.e[i][1] * b.e[1][j] + a.e[i][2] * b.e[2][j]);
  return c;
}

__device__ __forceinline__ Matrix turning(float ax, float ay, float az) {
  const Matrix cross = {{{0, -az, ay}, {az, 0, -ax}, {-ay, ax, 0}}};
  Matrix sum = {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}}, term = sum;
#pragma unroll
  for (int k = 1; k <= 12; ++k) {
    term = times(term, cross, 1.0f / k);
#pragma unroll
    for (int i = 0; i < 9; ++i)
      sum.e[i / 3][i % 3] += term.e[i / 3][i % 3];
  }
  return sum;
}

extern "C" __global__ void __launch_bounds__(256)
    turn_points(const float* __restrict__ in, float* __restrict__ out, int n, float ax, float ay,
                float az) {
  const Matrix m = turning(ax, ay, az);
  const int first = blockIdx.x * 256 * POINTS + threadIdx.x;
#pragma unroll 4
  for (int i = first; i < min(n, first + 256 * POINTS); i += 256) {
    const float x = in[i], y = in[(size_t)n + i], z = in[2 * (size_t)n + i];
#pragma unroll
    for (int k = 0; k < 3; ++k)
      out[k * (size_t)n + i] = m.e[k][0] * x + m.e[k][1] * y + m.e[k][2] * z;
  }
}
