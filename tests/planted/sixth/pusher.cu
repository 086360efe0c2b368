// Fast charged particles in a uniform field: momentum, place and own time after some steps.
extern "C" __global__ void __launch_bounds__(256) pusher(float* place, float* own_time, const float* px, const float* py, const float* pz,
                                                         int steps, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float a = px[i], b = py[i], c = pz[i];
  float x = 0.0f, y = 0.0f, z = 0.0f, tau = 0.0f;
  const float dt = 0.01f, field = 0.3f, push = 0.02f;
#pragma unroll 4
  for (int s = 0; s < steps; ++s) {
    const float square = 1.0f + a * a + b * b + c * c;
#if REUSE_INVERSE
    const float inverse = rsqrtf(square);
    const float vx = a * inverse, vy = b * inverse, vz = c * inverse;
    tau += dt * inverse;
#else
    const float gamma = sqrtf(square);
    const float vx = a / gamma, vy = b / gamma, vz = c / gamma;
    tau += dt / gamma;
#endif
    x += dt * vx;
    y += dt * vy;
    z += dt * vz;
    a += dt * (field * vy + push);
    b -= dt * field * vx;
    c += dt * push * vz;
  }
  place[i] = x + 2.0f * y + 3.0f * z;
  own_time[i] = tau;
}
