// Implicit time steps x <- L^-1 (0.9 x + f) of 32 unknowns with a unit lower triangular L of their own; one system per warp.
extern "C" __global__ void __launch_bounds__(1024)
implicit(float* out, const float* __restrict__ lower, const float* __restrict__ source, int steps) {
  __shared__ float solved[32];
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  const int system = blockIdx.x * 32 + warp;
  float l[32];
#pragma unroll
  for (int k = 0; k < 32; ++k) l[k] = k < lane ? lower[(system * 32 + k) * 32 + lane] : 0.0f;
  const float f = source[system * 32 + lane];
  float x = 0.0f;
#pragma unroll 1
  for (int s = 0; s < steps; ++s) {
    x = fmaf(0.9f, x, f);
#pragma unroll
    for (int k = 0; k < 31; ++k) {
      if (lane == k) solved[warp] = x;
#if TEAM == 32
      __syncwarp();
#else
      __syncthreads();
#endif
      x = fmaf(-l[k], solved[warp], x);
#if TEAM == 32
      __syncwarp();
#else
      __syncthreads();
#endif
    }
  }
  out[system * 32 + lane] = x;
}
