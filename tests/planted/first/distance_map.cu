// For every pixel of a map the squared distance to the nearest of `seeds` (x, y) points.
//
//   ROWS  of pixels that one block makes
//
// A thread has 16 pixels of a row at once. Block 1024, grid height / ROWS; the width is 16384, ROWS
// divides the height, and there are at most 1024 seeds.
constexpr int pixels = 16;
constexpr int width = 1024 * pixels;

extern "C" __global__ void __launch_bounds__(1024)
    distance_map(const float2* __restrict__ seed, float* __restrict__ distance, int seeds) {
  __shared__ float2 near_by[1024];
  if (threadIdx.x < seeds)
    near_by[threadIdx.x] = seed[threadIdx.x];
  __syncthreads();
#pragma unroll 1
  for (int row = blockIdx.x * ROWS; row < (blockIdx.x + 1) * ROWS; ++row) {
    float best[pixels], x[pixels];
#pragma unroll
    for (int p = 0; p < pixels; ++p) {
      best[p] = 1e30f;
      x[p] = (threadIdx.x + p * 1024) * (1.0f / width);
    }
    const float y = row * (1.0f / width);
#pragma unroll 2
    for (int s = 0; s < seeds; ++s) {
      const float2 at = near_by[s];
      const float dy = (y - at.y) * (y - at.y);
#pragma unroll
      for (int p = 0; p < pixels; ++p)
        best[p] = fminf(best[p], (x[p] - at.x) * (x[p] - at.x) + dy);
    }
#pragma unroll
    for (int p = 0; p < pixels; ++p)
      distance[(size_t)row * width + threadIdx.x + p * 1024] = best[p];
  }
}
