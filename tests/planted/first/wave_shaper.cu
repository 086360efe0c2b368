// Eight interleaved channels of sound, sample i of channel i % 8, each through a shaper of its own
// that is applied `steps` times.
//
//   PER_WARP  channels that the threads of one warp work on: 8, a sample as it lies in memory, or
//             1, with the samples of a block sorted by channel in shared memory
//
// Block 256, grid n / 256; 256 divides n.
__device__ __forceinline__ float shaped(int channel, float x, int steps) {
  switch (channel) {
  case 0:
#pragma unroll 4
    for (int s = 0; s < steps; ++s)
      x = (x * 0.98f + 0.01f) * 0.99f + 0.002f;
    return x;
  case 1:
#pragma unroll 4
    for (int s = 0; s < steps; ++s)
      x = x * (1.0f - 0.05f * x);
    return x;
  case 2:
#pragma unroll 4
    for (int s = 0; s < steps; ++s)
      x = x * 0.95f + 0.02f * fabsf(x);
    return x;
  case 3:
#pragma unroll 4
    for (int s = 0; s < steps; ++s)
      x = x - 0.1f * x * x * x;
    return x;
  case 4:
#pragma unroll 4
    for (int s = 0; s < steps; ++s)
      x = fminf(fmaxf(1.02f * x, -0.8f), 0.8f);
    return x;
  case 5:
#pragma unroll 4
    for (int s = 0; s < steps; ++s)
      x = 0.97f * x + 0.03f * (0.5f - x * x);
    return x;
  case 6:
#pragma unroll 4
    for (int s = 0; s < steps; ++s)
      x = x * 0.9f + 0.1f * fmaxf(x, 0.2f);
    return x;
  default:
#pragma unroll 4
    for (int s = 0; s < steps; ++s)
      x = (x + 0.01f) * (0.99f - 0.02f * x);
    return x;
  }
}

extern "C" __global__ void __launch_bounds__(256)
    wave_shaper(const float* __restrict__ in, float* __restrict__ out, int n, int steps) {
  const int i = blockIdx.x * 256 + threadIdx.x;
#if PER_WARP == 8
  out[i] = shaped(threadIdx.x % 8, in[i], steps);
#else
  // One word in 33 is left free, so that samples of a channel lie in different banks.
  __shared__ float samples[256 + 8];
  const int t = threadIdx.x, mine = t % 32 * 8 + t / 32;
  samples[t + t / 32] = in[i];
  __syncthreads();
  const float result = shaped(t / 32, samples[mine + mine / 32], steps);
  samples[mine + mine / 32] = result;
  __syncthreads();
  out[i] = samples[t + t / 32];
#endif
}
