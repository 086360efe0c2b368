// Density of sea water (a polynomial of temperature, salinity and pressure) summed over the levels of each column.
#if SUFFIX
#define C(x) x##f
#else
#define C(x) x
#endif
extern "C" __global__ void __launch_bounds__(256) seawater(float* column, const float* surface, const float* salt, int levels, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float t = surface[i];
  const float s = salt[i];
  float p = 0.0f, sum = 0.0f;
#pragma unroll 4
  for (int l = 0; l < levels; ++l) {
    const float pure = C(-0.157406) + t * (C(6.793952e-2) + t * (C(-9.095290e-3) + t * (C(1.001685e-4) + t * C(-1.120083e-6))));
    const float salty = C(8.24493e-1) + t * (C(-4.0899e-3) + t * (C(7.6438e-5) + t * C(-8.2467e-7)));
    const float square = C(4.8314e-4) + t * (C(-1.0227e-6) + t * C(1.6546e-8));
    const float squeeze = C(4.7e-3) - t * C(1.3e-5) + p * C(2.0e-8);
    sum = sum + pure + s * (salty + s * square) + p * squeeze;
    t = C(0.97) * t + C(0.06);
    p = p + C(10.0);
  }
  column[i] = sum;
}
