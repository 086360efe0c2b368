// Heights of n projectiles after `steps` steps of flight against the drag of the air.
//
//   BLOCKS  of the grid; its threads stride over the projectiles
//
// Block 512, grid BLOCKS. Any n.
extern "C" __global__ void __launch_bounds__(512)
    projectile(const float* __restrict__ speed, float* __restrict__ height, int n, int steps,
               float dt) {
  for (int i = blockIdx.x * 512 + threadIdx.x; i < n; i += BLOCKS * 512) {
    float v = 20 + 10 * speed[i], h = 0;
#pragma unroll 8
    for (int step = 0; step < steps; ++step) {
      v -= dt * (9.81f + 0.01f * v * fabsf(v));
      h += dt * v;
    }
    height[i] = h;
  }
}
