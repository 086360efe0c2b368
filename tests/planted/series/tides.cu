// The tide at a gauge: EXACT of its sixteen constituents are summed in double.
extern "C" __global__ void __launch_bounds__(256)
tides(float* __restrict__ out, const float* __restrict__ in, int n) {
  const int i = blockIdx.x * 256 + threadIdx.x;
  const float t = in[i];
  float sum = 0;
#pragma unroll
  for (int k = 0; k < 16; ++k) {
    if (k < EXACT) {
      double p = t;
#pragma unroll
      for (int j = 0; j < 8; ++j)
        p = p * 0.5 + (0.25 + 0.01 * k);
      sum += (float)p;
    } else {
      float p = t;
#pragma unroll
      for (int j = 0; j < 8; ++j)
        p = p * 0.5f + (0.25f + 0.01f * k);
      sum += p;
    }
  }
  out[i] = sum;
}
