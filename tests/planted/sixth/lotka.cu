// Predators and prey of many habitats, each with rates of its own, in explicit steps.
#if STATE_BITS == 64
typedef double Step;
#else
typedef float Step;
#endif
extern "C" __global__ void __launch_bounds__(256) lotka(float* prey_out, float* hunter_out, const float* birth, const float* hunt,
                                                        int steps, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float prey = 1.0f, hunter = 0.7f;
  const Step b = birth[i], h = hunt[i], dt = 0.004f, death = 0.8f;
#pragma unroll 8
  for (int s = 0; s < steps; ++s) {
    const Step p = prey, q = hunter;
    prey = (float)(p + dt * p * (b - h * q));
    hunter = (float)(q + dt * q * (h * p - death));
  }
  prey_out[i] = prey;
  hunter_out[i] = hunter;
}
