// Gain and bias of the third component of a survey, clipped to the range of the recorder.
extern "C" __global__ void __launch_bounds__(256) geophone_gain(float* __restrict__ out, const float* __restrict__ survey,
                                                                const float* __restrict__ component, float gain, float bias, int n) {
#if PITCH == 1
  const float* source = component;
#else
  const float* source = survey + 2;
#endif
  const int first = blockIdx.x * 1024 + threadIdx.x;
  float v[4];
#pragma unroll
  for (int k = 0; k < 4; ++k) v[k] = first + k * 256 < n ? source[(size_t)(first + k * 256) * PITCH] : 0.f;
#pragma unroll
  for (int k = 0; k < 4; ++k)
    if (first + k * 256 < n) out[first + k * 256] = fminf(fmaxf(fmaf(v[k], gain, bias), -1.f), 1.f);
}
