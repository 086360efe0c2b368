// Distance of each vector (16 numbers, component by component in memory) to the nearest word of a codebook.
#define DIMENSIONS 16
extern "C" __global__ void __launch_bounds__(128) codebook(float* nearest, const float* vectors, const float* words, int count, int n) {
  const int first = blockIdx.x * (128 * ITEMS) + threadIdx.x;
  float v[ITEMS][DIMENSIONS], best[ITEMS];
#pragma unroll
  for (int t = 0; t < ITEMS; ++t) {
    best[t] = 1e30f;
#pragma unroll
    for (int d = 0; d < DIMENSIONS; ++d) v[t][d] = vectors[d * n + first + t * 128];
  }
#if ITEMS > 1
  __shared__ float4 tile[64 * DIMENSIONS / 4];
  for (int w0 = 0; w0 < count; w0 += 64) {
    __syncthreads();
    for (int j = threadIdx.x; j < 64 * DIMENSIONS / 4; j += 128) tile[j] = ((const float4*)words)[w0 * (DIMENSIONS / 4) + j];
    __syncthreads();
    for (int w = 0; w < 64; ++w) {
      float far[ITEMS];
#pragma unroll
      for (int t = 0; t < ITEMS; ++t) far[t] = 0.0f;
#pragma unroll
      for (int d = 0; d < DIMENSIONS; d += 4) {
        const float4 c = tile[w * (DIMENSIONS / 4) + d / 4];
        const float p[4] = {c.x, c.y, c.z, c.w};
#pragma unroll
        for (int e = 0; e < 4; ++e)
#pragma unroll
          for (int t = 0; t < ITEMS; ++t) {
            const float apart = v[t][d + e] - p[e];
            far[t] += apart * apart;
          }
      }
#pragma unroll
      for (int t = 0; t < ITEMS; ++t) best[t] = fminf(best[t], far[t]);
    }
  }
#else
  for (int w = 0; w < count; ++w) {
    float far = 0.0f;
#pragma unroll
    for (int d = 0; d < DIMENSIONS; ++d) {
      const float apart = v[0][d] - words[w * DIMENSIONS + d];
      far += apart * apart;
    }
    best[0] = fminf(best[0], far);
  }
#endif
#pragma unroll
  for (int t = 0; t < ITEMS; ++t) nearest[first + t * 128] = best[t];
}
