// Convolution with 7 x 7 weights from a tile in shared memory; a thread makes ROWS elements below
// each other, and multiplies what it has read by all weights that it has for it. Zeros lie beyond the
// border of the image.
// gridsmith: VARIANT=tile ROWS=4 WEIGHTS=from_constant

constexpr int reach = 3;
constexpr int taps = 2 * reach + 1;

__constant__ float weights[taps * taps];

extern "C" __global__ void __launch_bounds__(block_size_x* block_size_y)
    convolution(const float* __restrict__ before, float* __restrict__ after,
                const float* __restrict__ global_weights, int nx, int ny) {
  constexpr int width = block_size_x + 2 * reach;
  constexpr int height = block_size_y * ROWS + 2 * reach;
  __shared__ float part[height][width];
  const int x0 = blockIdx.x * block_size_x, y0 = blockIdx.y * block_size_y * ROWS;

  for (int r = threadIdx.y; r < height; r += block_size_y) {
    const int gy = y0 + r - reach;
    for (int c = threadIdx.x; c < width; c += block_size_x) {
      const int gx = x0 + c - reach;
      const bool outside = gx < 0 || gx > nx || gy < 0 || gy >= ny;
      part[r][c] = outside ? 0.0f : before[(size_t)gy * nx + gx];
    }
  }
  __syncthreads();

  float sum[ROWS] = {};
#pragma unroll
  for (int r = 0; r < ROWS + taps - 1; ++r)
#pragma unroll
    for (int c = 0; c < taps; ++c) {
      const float value = part[threadIdx.y * ROWS + r][threadIdx.x + c];
#pragma unroll
      for (int i = 0; i < ROWS; ++i)
        if (r >= i && r - i < taps)
          sum[i] = fmaf(weights[(r - i) * taps + c], value, sum[i]);
    }

  const int x = x0 + threadIdx.x;
#pragma unroll
  for (int i = 0; i < ROWS; ++i) {
    const int y = y0 + threadIdx.y * ROWS + i;
    if (x < nx && y < ny)
      after[(size_t)y * nx + x] = sum[i];
  }
}
