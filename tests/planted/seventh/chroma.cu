// Distances of all pairs of audio fingerprints, which lie with their 48 numbers apart.
#define NUMBERS 48
#if PER_THREAD == 1
#define DOWN 1
#define ACROSS 1
#else
#define DOWN 8
#define ACROSS (PER_THREAD / DOWN)
#endif

extern "C" __global__ void __launch_bounds__(256)
distances(float* __restrict__ out, const float* __restrict__ queries, const float* __restrict__ songs, int m, int n) {
  const int i = (blockIdx.y * 8 + threadIdx.y) * DOWN;
  const int j = blockIdx.x * 32 * ACROSS + threadIdx.x;
  float sum[DOWN][ACROSS] = {};
  const float* query = queries + i;
  const float* song = songs + j;
#pragma unroll 4
  for (int k = 0; k < NUMBERS; ++k) {
    float a[DOWN], b[ACROSS];
#pragma unroll
    for (int d = 0; d < DOWN; ++d)
      a[d] = query[k * m + d];
#pragma unroll
    for (int c = 0; c < ACROSS; ++c)
      b[c] = song[k * n + c * 32];
#pragma unroll
    for (int d = 0; d < DOWN; ++d)
#pragma unroll
      for (int c = 0; c < ACROSS; ++c)
        sum[d][c] += fabsf(a[d] - b[c]);
  }
#pragma unroll
  for (int d = 0; d < DOWN; ++d)
#pragma unroll
    for (int c = 0; c < ACROSS; ++c)
      out[(size_t)(i + d) * n + j + c * 32] = sum[d][c];
}
