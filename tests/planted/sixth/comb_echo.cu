// A comb filter of many channels: what was heard 13 samples ago comes back.
extern "C" __global__ void __launch_bounds__(128, 16) comb_echo(float* __restrict__ out, const float* __restrict__ in, float feedback,
                                                                int channels, int samples) {
  extern __shared__ float ring[];
  const int channel = blockIdx.x * 128 + threadIdx.x;
  float* mine = ring + threadIdx.x;
#pragma unroll 1
  for (int t = 1; t <= 13; ++t) mine[(-t & CAPACITY - 1) * 128] = 0.f;
#pragma unroll 1
  for (int t = 0; t < samples; t += 4) {
    float v[4];
#pragma unroll
    for (int k = 0; k < 4; ++k) v[k] = in[(t + k) * channels + channel];
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      v[k] = fmaf(feedback, mine[(t + k - 13 & CAPACITY - 1) * 128], v[k]);
      mine[(t + k & CAPACITY - 1) * 128] = v[k];
    }
#pragma unroll
    for (int k = 0; k < 4; ++k) out[(t + k) * channels + channel] = v[k];
  }
}
