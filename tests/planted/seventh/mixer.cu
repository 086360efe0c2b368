// Calibrates the two planes of a receiver and writes interleaved samples.
extern "C" __global__ void __launch_bounds__(256)
mixer(float* __restrict__ out, const float* __restrict__ in_phase, const float* __restrict__ quadrature,
      float gain, float skew, float offset, int n) {
  const int t = threadIdx.x;
#if SPLIT == 2
  const int half = gridDim.x / 2;
  const int part = blockIdx.x < half ? 0 : 1;
  const float* plane = part == 0 ? in_phase : quadrature;
  const float factor = part == 0 ? gain : skew;
  const int first = (blockIdx.x - part * half) * 1024 + t;
  float v[4];
#pragma unroll
  for (int k = 0; k < 4; ++k)
    v[k] = plane[first + k * 256];
#pragma unroll
  for (int k = 0; k < 4; ++k)
    out[2 * (first + k * 256) + part] = fmaf(v[k], factor, offset);
#else
  const int first = blockIdx.x * 512 + t;
  float2 v[2];
#pragma unroll
  for (int k = 0; k < 2; ++k) {
    v[k].x = in_phase[first + k * 256];
    v[k].y = quadrature[first + k * 256];
  }
#pragma unroll
  for (int k = 0; k < 2; ++k)
    reinterpret_cast<float2*>(out)[first + k * 256] =
        make_float2(fmaf(v[k].x, gain, offset), fmaf(v[k].y, skew, offset));
#endif
}
