// Point-wise equilibrium of a four-phase melt: each sample relaxes by the law of its own phase.
__device__ __forceinline__ float relax(int phase, float t, float p, int sweeps) {
  float s = 0.5f;
  if (phase == 0) {
#pragma unroll 4
    for (int k = 0; k < sweeps; ++k) {
      float r = s * s * (0.3f - 0.1f * s) + t * s - p;
      s = s - 0.21f * r * (1.0f - 0.2f * s * t);
    }
  } else if (phase == 1) {
#pragma unroll 4
    for (int k = 0; k < sweeps; ++k) {
      float q = 1.0f - s * p;
      s = s + 0.13f * (t * q * q - s * (0.4f + 0.1f * q * s));
    }
  } else if (phase == 2) {
#pragma unroll 4
    for (int k = 0; k < sweeps; ++k) {
      float c = s * (t + p * (0.2f - 0.05f * s));
      s = 0.8f * s + 0.2f * (0.6f - 0.1f * c + 0.02f * c * c);
    }
  } else {
#pragma unroll 4
    for (int k = 0; k < sweeps; ++k) {
      float a = t - s, b = p + s;
      s = s + 0.07f * (a * b - 0.3f * s * s * a) - 0.01f * b;
    }
  }
  return s;
}

extern "C" __global__ void melt(float* share, const int* phase, const float* heat, const float* pressure, int sweeps) {
  __shared__ int kind[256];
  __shared__ float t[256], p[256], result[256];
  int j = threadIdx.x, i = blockIdx.x * 256 + j;
  kind[j] = phase[i];
  t[j] = heat[i];
  p[j] = pressure[i];
  __syncthreads();
#if ORDER == 1
  int mine = (j % 64) * 4 + j / 64;
#else
  int mine = j;
#endif
  result[mine] = relax(kind[mine], t[mine], p[mine], sweeps);
  __syncthreads();
  share[i] = result[j];
}
