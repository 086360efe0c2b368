// Kick and drift of test masses in harmonic wells. The lanes of a warp share a star and its number of periods;
// a block follows 64 rounds of 32 stars.
extern "C" __global__ void __launch_bounds__(1024)
orbits(float* out, const int* __restrict__ periods, const float* __restrict__ start, float kick, float drift) {
  __shared__ int plan[32 * BATCH];
  const int warp = threadIdx.x / 32;
  const int first = blockIdx.x * 64 * 32;
  int next = threadIdx.x < 32 * BATCH ? periods[first + threadIdx.x] : 0;
  const float x0 = start[threadIdx.x];
#pragma unroll 1
  for (int round = 0; round < 64; round += BATCH) {
    __syncthreads();
    if (threadIdx.x < 32 * BATCH) plan[threadIdx.x] = next;
    __syncthreads();
    if (round + BATCH < 64 && threadIdx.x < 32 * BATCH) next = periods[first + (round + BATCH) * 32 + threadIdx.x];
#pragma unroll 1
    for (int b = 0; b < BATCH; ++b) {
      float x = x0, v = 0.0f;
#pragma unroll 1
      for (int p = plan[b * 32 + warp]; p >= 0; --p) {
#pragma unroll
        for (int s = 0; s < 8; ++s) {
          v = fmaf(-kick, x, v);
          x = fmaf(drift, v, x);
        }
      }
      out[(blockIdx.x * 64 + round + b) * 1024 + threadIdx.x] = x;
    }
  }
}
