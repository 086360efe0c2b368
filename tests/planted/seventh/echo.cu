// Feedback echo y[t] = x[t] + g y[t - delay] of many channels, samples of one instant side by side.
extern __shared__ float line[];

extern "C" __global__ void __launch_bounds__(64)
echo(float* y, const float* __restrict__ x, float gain, int delay, int channels, int samples) {
  const int channel = blockIdx.x * 64 + threadIdx.x;
  float* own = line + threadIdx.x;
  const float* from = x + channel;
  float* to = y + channel;
#pragma unroll 1
  for (int t = 0; t < samples; t += 8) {
    float v[8];
#pragma unroll
    for (int k = 0; k < 8; ++k) v[k] = from[k * channels];
    from += 8 * channels;
#pragma unroll
    for (int k = 0; k < 8; ++k) {
      float old = t + k >= delay ? own[((t + k - delay) & (RING - 1)) * 64] : 0.0f;
      v[k] = fmaf(gain, old, v[k]);
      own[((t + k) & (RING - 1)) * 64] = v[k];
      to[k * channels] = v[k];
    }
    to += 8 * channels;
  }
}
