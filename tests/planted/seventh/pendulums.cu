// Anharmonic, damped oscillators x'' = -x - b x^3 - c x', each advanced by classical Runge-Kutta steps; eight per thread.
__device__ __forceinline__ float force(float x, float v, float b, float c) {
  return fmaf(-c, v, -x * fmaf(b, x * x, 1.0f));
}

extern "C" __global__ void __launch_bounds__(GROUP)
pendulums(float* xo, float* vo, const float* xi, const float* vi, float b, float c, float dt, int steps, int n) {
  const int share = n / 8;
  const int i = blockIdx.x * GROUP + threadIdx.x;
  const float h = 0.5f * dt, w = dt * (1.0f / 6.0f);
  float x[8], v[8];
#pragma unroll
  for (int k = 0; k < 8; ++k) {
    x[k] = xi[i + k * share];
    v[k] = vi[i + k * share];
  }
#pragma unroll 1
  for (int s = 0; s < steps; ++s) {
#pragma unroll
    for (int k = 0; k < 8; ++k) {
      float a1 = force(x[k], v[k], b, c);
      float v2 = fmaf(h, a1, v[k]);
      float a2 = force(fmaf(h, v[k], x[k]), v2, b, c);
      float v3 = fmaf(h, a2, v[k]);
      float a3 = force(fmaf(h, v2, x[k]), v3, b, c);
      float v4 = fmaf(dt, a3, v[k]);
      float a4 = force(fmaf(dt, v3, x[k]), v4, b, c);
      x[k] = fmaf(w, v[k] + 2.0f * (v2 + v3) + v4, x[k]);
      v[k] = fmaf(w, a1 + 2.0f * (a2 + a3) + a4, v[k]);
    }
  }
#pragma unroll
  for (int k = 0; k < 8; ++k) {
    xo[i + k * share] = x[k];
    vo[i + k * share] = v[k];
  }
}
