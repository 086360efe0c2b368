// Excitable membrane: every cell is integrated over one burst from its own state and drive.
#if SUFFIX
#define C(value) value##f
#else
#define C(value) value
#endif

extern "C" __global__ void membrane(float* potential, float* recovery, const float* start, const float* drive, int n,
                                    int steps) {
  int cell = blockIdx.x * blockDim.x + threadIdx.x;
  if (cell >= n) return;
  float u = start[cell];
  float w = C(0.25) * u;
  float current = drive[cell];
#pragma unroll 4
  for (int s = 0; s < steps; ++s) {
    float cubic = u * u * u;
    float du = u - C(0.3333) * cubic - w + current;
    float dw = C(0.08) * (u + C(0.7) - C(0.8) * w);
    u += C(0.02) * du;
    w += C(0.02) * dw;
  }
  potential[cell] = u;
  recovery[cell] = w;
}
