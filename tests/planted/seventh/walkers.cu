// Brownian tracers in a plane: every thread follows one tracer through all its kicks and reports where it ends.
#if MATH == 1
#define LOG(x) __logf(x)
#define ROOT(x) ((x) * rsqrtf(x))
#define COS(x) __cosf(x)
#define SIN(x) __sinf(x)
#else
#define LOG(x) logf(x)
#define ROOT(x) sqrtf(x)
#define COS(x) cosf(x)
#define SIN(x) sinf(x)
#endif

extern "C" __global__ void walkers(float* east, float* north, const unsigned* seed, int n, int kicks, float drift) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned state = seed[i];
  float x = 0.0f, y = 0.0f;
#pragma unroll 2
  for (int k = 0; k < kicks; ++k) {
    state = state * 1664525u + 1013904223u;
    float chance = float(state >> 8) * (0.999f / 16777216.0f) + 0.0005f;
    state = state * 1664525u + 1013904223u;
    float angle = float(state >> 8) * (6.2831853f / 16777216.0f) - 3.1415927f;
    float length = ROOT(-2.0f * LOG(chance));
    x += length * COS(angle) + drift * y;
    y += length * SIN(angle) - drift * x;
  }
  east[i] = x;
  north[i] = y;
}
