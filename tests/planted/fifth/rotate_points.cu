// Points (x, y, z) under the rotation of three angles, which a thread builds: sines and cosines by
// their series, the product of three matrices, made orthonormal by six steps of Newton and Schulz.
// Block 256, grid n / (256 * POINTS).
//
//   POINTS  of a thread, a block's width apart: 1 or 16
constexpr int threads = 256, corrections = 6;

struct Matrix {
  float m[3][3];
};

__device__ __forceinline__ float sine(float a) {
  const float s = a * a;
  return a * (1 + s * (-1.f / 6 + s * (1.f / 120 + s * (-1.f / 5040 + s * (1.f / 362880)))));
}

__device__ __forceinline__ float cosine(float a) {
  const float s = a * a;
  return 1 + s * (-.5f + s * (1.f / 24 + s * (-1.f / 720 + s * (1.f / 40320))));
}

__device__ __forceinline__ Matrix product(const Matrix& a, const Matrix& b) {
  Matrix c;
#pragma unroll
  for (int i = 0; i < 3; ++i)
#pragma unroll
    for (int j = 0; j < 3; ++j)
      c.m[i][j] = a.m[i][0] * b.m[0][j] + a.m[i][1] * b.m[1][j] + a.m[i][2] * b.m[2][j];
  return c;
}

// A (3 I - A'A) / 2
__device__ __forceinline__ Matrix corrected(const Matrix& a) {
  Matrix s;
#pragma unroll
  for (int i = 0; i < 3; ++i)
#pragma unroll
    for (int j = 0; j < 3; ++j)
      s.m[i][j] = (i == j ? 1.5f : 0.f) -
                  .5f * (a.m[0][i] * a.m[0][j] + a.m[1][i] * a.m[1][j] + a.m[2][i] * a.m[2][j]);
  return product(a, s);
}

__device__ __forceinline__ Matrix rotation(float a, float b, float c) {
  const float sa = sine(a), ca = cosine(a), sb = sine(b), cb = cosine(b), sc = sine(c),
              cc = cosine(c);
  const Matrix x = {{{1, 0, 0}, {0, ca, -sa}, {0, sa, ca}}};
  const Matrix y = {{{cb, 0, sb}, {0, 1, 0}, {-sb, 0, cb}}};
  const Matrix z = {{{cc, -sc, 0}, {sc, cc, 0}, {0, 0, 1}}};
  Matrix r = product(product(x, y), z);
#pragma unroll
  for (int k = 0; k < corrections; ++k)
    r = corrected(r);
  return r;
}

extern "C" __global__ void __launch_bounds__(threads)
    rotate_points(const float* __restrict__ x, const float* __restrict__ y,
                  const float* __restrict__ z, float* __restrict__ rx, float* __restrict__ ry,
                  float* __restrict__ rz, float a, float b, float c) {
  const Matrix r = rotation(a, b, c);
  const int first = blockIdx.x * threads * POINTS + threadIdx.x;
#pragma unroll 4
  for (int point = 0; point < POINTS; ++point) {
    const int i = first + point * threads;
    const float u = x[i], v = y[i], w = z[i];
    rx[i] = r.m[0][0] * u + r.m[0][1] * v + r.m[0][2] * w;
    ry[i] = r.m[1][0] * u + r.m[1][1] * v + r.m[1][2] * w;
    rz[i] = r.m[2][0] * u + r.m[2][1] * v + r.m[2][2] * w;
  }
}
