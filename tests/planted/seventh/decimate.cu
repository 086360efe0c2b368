// A low pass of 64 taps that keeps every fourth sample of a recording; a block makes 256 samples.
#define TAPS 64
#define SPAN (256 * 4 + TAPS)
#define PLANE 296
__constant__ float taps[TAPS];
extern __shared__ float window[];

__device__ __forceinline__ int place(int sample) {
#if LAYOUT == 0
  return sample;
#else
  return (sample & 3) * PLANE + (sample >> 2);
#endif
}

extern "C" __global__ void __launch_bounds__(256)
decimate(float* out, const float* __restrict__ in, int n) {
  const int first = blockIdx.x * 1024;
  for (int s = threadIdx.x; s < SPAN; s += 256) window[place(s)] = in[first + s];
  __syncthreads();
  float sum = 0.0f;
#pragma unroll 1
  for (int phase = 0; phase < 4; ++phase) {
    const float* from = window + place(4 * threadIdx.x + phase);
#pragma unroll
    for (int k = 0; k < TAPS / 4; ++k) sum = fmaf(taps[4 * k + phase], from[place(4 * k)], sum);
  }
  out[blockIdx.x * 256 + threadIdx.x] = sum;
}
