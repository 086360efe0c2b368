// Undamped resonators, each with its own stiffness, stepped by the symplectic Euler scheme.
extern "C" __global__ void resonators(float* place, float* speed, const float* stiffness, const float* start, int n,
                                      int steps, float h) {
  constexpr int batch = UNROLL;
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float pull = -h * stiffness[i];
  float x = start[i], v = 0.0f;
#pragma unroll batch
  for (int s = 0; s < steps; ++s) {
    v = fmaf(pull, x, v);
    x = fmaf(h, v, x);
  }
  place[i] = x;
  speed[i] = v;
}
