// Generating function of a year's number of claims, G(z) = sum of p_k z^k, at many z.
#define TERMS 184
__constant__ float pmf[TERMS];

extern "C" __global__ void __launch_bounds__(128)
claims(float* out, const float* __restrict__ z, const float* __restrict__ p, int n) {
#if TABLE == 0
  float c[TERMS];
#pragma unroll
  for (int k = 0; k < TERMS; ++k) c[k] = p[k];
#else
  const float* c = pmf;
#endif
#pragma unroll 1
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    const float x = z[i];
    float g = c[TERMS - 1];
#pragma unroll
    for (int k = TERMS - 2; k >= 0; --k) g = fmaf(g, x, c[k]);
    out[i] = g;
  }
}
