// Scales the samples of a recording whose channels are visited one after the other.
extern "C" __global__ void __launch_bounds__(256)
interlace(float* __restrict__ out, const float* __restrict__ in, float gain, int n) {
  const int thread = blockIdx.x * 256 + threadIdx.x;
  const int each = n / CHANNELS;
  const int at = thread % each * CHANNELS + thread / each;
  out[at] = in[at] * gain;
}
