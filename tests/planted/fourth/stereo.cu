// power[i] = the sum of the squares of three filters of 32 taps at frame i of a signal of two
// channels, for both: filter f gives the sum over k of taps[32 * f + k] * samples[2 * (i + k) +
// channel]. A block makes 1024 values from a tile in shared memory, where the channels alternate as
// in the signal (INTERLEAVED) or lie one after the other.
// Block 256, grid n / 1024; `samples` has n + 32 frames.
#define frames 1104 // at least 1024 + 32, and 16 modulo 32
#define step (INTERLEAVED ? 2 : 1)

__constant__ float taps[96];

__device__ __forceinline__ unsigned place(unsigned frame, unsigned channel) {
  return INTERLEAVED ? 2 * frame + channel : channel * frames + frame;
}

extern "C" __global__ void __launch_bounds__(256)
    stereo(const float* __restrict__ samples, float* __restrict__ power, const float*) {
  __shared__ float tile[2 * frames];
  const unsigned first = blockIdx.x * 1024;
  for (unsigned k = threadIdx.x; k < 2 * (1024 + 32); k += 256)
    tile[place(k / 2, k % 2)] = samples[2 * first + k];
  __syncthreads();
#pragma unroll 1
  for (unsigned i = threadIdx.x; i < 1024; i += 512) {
    float sum[2] = {}; // of frames i and i + 256
#pragma unroll 1
    for (unsigned channel = 0; channel < 2; ++channel) {
      const float* at = tile + place(i, channel);
      float y[2][3] = {};
#pragma unroll
      for (int k = 0; k < 32; ++k) {
        const float near = at[k * step], far = at[(k + 256) * step];
#pragma unroll
        for (int f = 0; f < 3; ++f) {
          y[0][f] = fmaf(taps[32 * f + k], near, y[0][f]);
          y[1][f] = fmaf(taps[32 * f + k], far, y[1][f]);
        }
      }
#pragma unroll
      for (int f = 0; f < 3; ++f) {
        sum[0] = fmaf(y[0][f], y[0][f], sum[0]);
        sum[1] = fmaf(y[1][f], y[1][f], sum[1]);
      }
    }
    power[first + i] = sum[0];
    power[first + i + 256] = sum[1];
  }
}
