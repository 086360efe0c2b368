// Populations after many generations of x' = r x (1 - x), for 16 growth rates per thread.
extern "C" __global__ void __launch_bounds__(128)
population(float* out, const float* __restrict__ rate, float x0, int generations) {
  const int threads = gridDim.x * 128;
  const int i = blockIdx.x * 128 + threadIdx.x;
#pragma unroll 1
  for (int p = 0; p < 16; p += AT_ONCE) {
    float x[AT_ONCE], r[AT_ONCE];
#pragma unroll
    for (int k = 0; k < AT_ONCE; ++k) {
      r[k] = rate[(p + k) * threads + i];
      x[k] = x0;
    }
#pragma unroll 1
    for (int g = 0; g < generations; g += 16) {
#pragma unroll
      for (int s = 0; s < 16; ++s) {
#pragma unroll
        for (int k = 0; k < AT_ONCE; ++k) x[k] = __fmul_rn(r[k], __fmaf_rn(-x[k], x[k], x[k]));
      }
    }
#pragma unroll
    for (int k = 0; k < AT_ONCE; ++k) out[(p + k) * threads + i] = x[k];
  }
}
