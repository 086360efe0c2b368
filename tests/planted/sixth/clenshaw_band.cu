// A Chebyshev series of 48 terms at many abscissae.
extern "C" __global__ void __launch_bounds__(1024) clenshaw_band(float* __restrict__ y, const float* __restrict__ x, int n) {
  for (int i = blockIdx.x * 1024 + threadIdx.x; i < n; i += gridDim.x * 1024) {
    const float t = x[i], t2 = t + t;
    float b1 = 0.f, b2 = 0.f;
#pragma unroll
    for (int k = 48; k > 0; --k) {
      const float b0 = fmaf(t2, b1, 1.f / (k * k + 3) - b2);
      b2 = b1;
      b1 = b0;
    }
    y[i] = fmaf(t, b1, 0.5f - b2);
  }
}
