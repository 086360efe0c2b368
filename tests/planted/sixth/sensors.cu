// Readings of eight kinds of sensors take turns in memory; each kind is straightened by a fixed point iteration of its own.
__device__ __forceinline__ float straighten(int kind, float x, int rounds) {
  float v = x, u = 0.5f;
  switch (kind) {
    case 0:
#pragma unroll 4
      for (int r = 0; r < rounds; ++r) v = fmaf(v, fmaf(v, -0.11f, 0.3f), x);
      return v;
    case 1:
#pragma unroll 4
      for (int r = 0; r < rounds; ++r) { u = fmaf(v, 0.2f, x); v = fmaf(u, u, -0.3f * v) * 0.25f; }
      return v;
    case 2:
#pragma unroll 4
      for (int r = 0; r < rounds; ++r) v = fmaf(fminf(v, 0.8f), 0.4f, x * u);
      return v;
    case 3:
#pragma unroll 4
      for (int r = 0; r < rounds; ++r) { v = fmaf(v, 0.3f, u); u = fmaf(u, 0.2f, -x); }
      return v + u;
    case 4:
#pragma unroll 4
      for (int r = 0; r < rounds; ++r) v = x - fabsf(fmaf(v, 0.45f, 0.1f)) * 0.7f;
      return v;
    case 5:
#pragma unroll 4
      for (int r = 0; r < rounds; ++r) { u = v * v; v = fmaf(u, 0.15f, x * 0.5f); }
      return v - u;
    case 6:
#pragma unroll 4
      for (int r = 0; r < rounds; ++r) v = fmaf(fmaxf(v, u), -0.35f, x);
      return v;
    default:
#pragma unroll 4
      for (int r = 0; r < rounds; ++r) { u = fmaf(u, 0.5f, 0.1f * v); v = fmaf(u, -0.6f, x); }
      return v * u;
  }
}
extern "C" __global__ void __launch_bounds__(256) sensors(float* out, const float* in, int rounds) {
  const int i = blockIdx.x * 256 + threadIdx.x;
#if WARP_PER_KIND
  __shared__ float tile[264];
  tile[threadIdx.x + threadIdx.x / 32] = in[i];
  __syncthreads();
  const int kind = threadIdx.x / 32, mine = (threadIdx.x & 31) * 8 + kind, slot = mine + mine / 32;
  tile[slot] = straighten(kind, tile[slot], rounds);
  __syncthreads();
  out[i] = tile[threadIdx.x + threadIdx.x / 32];
#else
  out[i] = straighten(threadIdx.x & 7, in[i], rounds);
#endif
}
