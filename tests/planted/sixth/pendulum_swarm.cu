// Pendulums with small swings, SWARM of them a thread, by the leapfrog method.
extern "C" __global__ void __launch_bounds__(256) pendulum_swarm(float* __restrict__ out, const float* __restrict__ angle, float dt,
                                                                 float pull, int steps) {
  const int id = blockIdx.x * 256 + threadIdx.x;
  const float a = angle[id];
  float x[SWARM], v[SWARM];
#pragma unroll
  for (int k = 0; k < SWARM; ++k) {
    x[k] = a + k * 0.125f;
    v[k] = 0.f;
  }
#pragma unroll 8
  for (int t = 0; t < steps; ++t)
#pragma unroll
    for (int k = 0; k < SWARM; ++k) {
      v[k] = fmaf(x[k], pull, v[k]);
      x[k] = fmaf(v[k], dt, x[k]);
    }
  float sum = 0.f;
#pragma unroll
  for (int k = 0; k < SWARM; ++k) sum += x[k] * (k + 1);
  out[id] = sum;
}
