// Populations of four species, side by side in a list: each species grows by a law of its own.
//
//   NEIGHBOURS  1: a thread takes the population of its own number
//               4: lanes take every fourth one, warps take turns
//
// Block 256, a population a thread; n is a multiple of 256.
#define SEASONS 192

__device__ float logistic(float x, float rate) {
#pragma unroll 16
  for (int k = 0; k < SEASONS; ++k)
    x = (rate * x) * (1.0f - x);
  return x;
}

__device__ float harvested(float x, float rate) {
#pragma unroll 16
  for (int k = 0; k < SEASONS; ++k)
    x = fmaf(x, fmaf(-rate, x, 1.6f), 0.02f) * 0.875f;
  return x;
}

__device__ float crowded(float x, float rate) {
#pragma unroll 16
  for (int k = 0; k < SEASONS; ++k)
    x = x * fmaf(rate * x, -x, 1.5f);
  return x;
}

__device__ float sheltered(float x, float rate) {
#pragma unroll 16
  for (int k = 0; k < SEASONS; ++k)
    x = fmaf(0.5f, x, fmaf(x * x, -0.25f, 0.125f * rate));
  return x;
}

extern "C" __global__ void __launch_bounds__(256)
    growth_models(const float* __restrict__ start, float* __restrict__ end) {
  const int lane = threadIdx.x % 32;
  const int warp = threadIdx.x / 32;
  const int within = NEIGHBOURS == 1 ? threadIdx.x : warp / 4 * 128 + lane * 4 + warp % 4;
  const int i = blockIdx.x * 256 + within;
  const float x = start[i];
  const float rate = 1.0f + x;
  float y;
  switch (within % 4) {
  case 0:
    y = logistic(x, rate);
    break;
  case 1:
    y = harvested(x, rate);
    break;
  case 2:
    y = crowded(x, rate);
    break;
  default:
    y = sheltered(x, rate);
  }
  end[i] = y;
}
