// Forecasts of an ensemble by Lorenz's model of 1996: forty places on a circle of latitude, Heun's steps.
#define PLACES 40

__device__ __forceinline__ float tendency(const float (&x)[PLACES], int i, float forcing) {
  const float ahead = x[(i + 1) % PLACES], behind = x[(i + PLACES - 1) % PLACES], far = x[(i + PLACES - 2) % PLACES];
  return fmaf(ahead - far, behind, forcing - x[i]);
}

extern "C" __global__ void __launch_bounds__(128, RESIDENT)
ensemble(float* __restrict__ out, const float* __restrict__ start, float forcing, float step, int members, int steps) {
  const int member = blockIdx.x * 128 + threadIdx.x;
  float x[PLACES], y[PLACES];
#pragma unroll
  for (int i = 0; i < PLACES; ++i)
    x[i] = start[(size_t)i * members + member];
#pragma unroll 1
  for (int s = 0; s < steps; ++s) {
#pragma unroll
    for (int i = 0; i < PLACES; ++i)
      y[i] = fmaf(step, tendency(x, i, forcing), x[i]);
#pragma unroll
    for (int i = 0; i < PLACES; ++i)
      x[i] = 0.5f * (x[i] + fmaf(step, tendency(y, i, forcing), y[i]));
  }
#pragma unroll
  for (int i = 0; i < PLACES; ++i)
    out[(size_t)i * members + member] = x[i];
}
