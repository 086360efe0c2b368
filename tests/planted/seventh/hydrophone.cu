// Removes the slow drift from the channels of a hydrophone array; rows are samples, columns are channels.
extern "C" __global__ void __launch_bounds__(128)
drift(float* out, const float* in, float pole, int channels, int samples) {
  const int channel = blockIdx.x * 128 + threadIdx.x;
  float level = 0.0f;
  const float* from = in + channel;
  float* to = out + channel;
  for (int t = 0; t < samples; t += AHEAD) {
    float x[AHEAD];
#pragma unroll
    for (int k = 0; k < AHEAD; ++k)
      x[k] = from[(size_t)k * channels];
#pragma unroll
    for (int k = 0; k < AHEAD; ++k) {
      level = fmaf(pole, level - x[k], x[k]);
      to[(size_t)k * channels] = x[k] - level;
    }
    from += (size_t)AHEAD * channels;
    to += (size_t)AHEAD * channels;
  }
}
