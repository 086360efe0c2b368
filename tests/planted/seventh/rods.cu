// Heat in insulated rods of 32 cells, one cell a lane; 16 rods per warp.
extern "C" __global__ void __launch_bounds__(128)
rods(float* out, const float* __restrict__ start, const float* __restrict__ conductivity, int steps) {
  const int warp = blockIdx.x * 4 + threadIdx.x / 32, lane = threadIdx.x % 32;
#pragma unroll 1
  for (int rod = 0; rod < 16; rod += AT_ONCE) {
    const int base = (warp * 16 + rod) * 32 + lane;
    float x[AT_ONCE], c[AT_ONCE];
#pragma unroll
    for (int k = 0; k < AT_ONCE; ++k) {
      x[k] = start[base + k * 32];
      c[k] = conductivity[base + k * 32];
    }
#pragma unroll 1
    for (int s = 0; s < steps; s += 4) {
#pragma unroll
      for (int u = 0; u < 4; ++u) {
        float l[AT_ONCE], r[AT_ONCE];
#pragma unroll
        for (int k = 0; k < AT_ONCE; ++k) {
          l[k] = __shfl_up_sync(0xffffffffu, x[k], 1);
          r[k] = __shfl_down_sync(0xffffffffu, x[k], 1);
        }
#pragma unroll
        for (int k = 0; k < AT_ONCE; ++k) x[k] = fmaf(c[k], l[k] + r[k], fmaf(-2.0f * c[k], x[k], x[k]));
      }
    }
#pragma unroll
    for (int k = 0; k < AT_ONCE; ++k) out[base + k * 32] = x[k];
  }
}
