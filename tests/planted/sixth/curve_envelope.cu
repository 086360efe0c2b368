// The upper envelope of seven polynomials of 24 coefficients, at samples in the order of a list.
__constant__ float coef[168];
extern "C" __global__ void __launch_bounds__(128) curve_envelope(float* y, const float* x, const int* order, const float* table, int n) {
#if HELD == 1
  float c[168];
#pragma unroll
  for (int k = 0; k < 167; ++k) c[k] = table[k];
  c[167] = coef[167];
#define C(k) c[k]
#else
#define C(k) coef[k]
#endif
#pragma unroll 1
  for (int i = blockIdx.x * 128 + threadIdx.x; i < n; i += gridDim.x * 128) {
    const float t = x[order[i]];
    float p[7];
#pragma unroll
    for (int m = 0; m < 7; ++m) p[m] = C(m * 24 + 23);
#pragma unroll
    for (int k = 22; k >= 0; --k)
#pragma unroll
      for (int m = 0; m < 7; ++m) p[m] = fmaf(p[m], t, C(m * 24 + k));
    y[i] = fmaxf(fmaxf(fmaxf(p[0], p[1]), fmaxf(p[2], p[3])), fmaxf(fmaxf(p[4], p[5]), p[6]));
  }
}
