// gridsmith: ROWS=8
// A 7 x 7 filter: a thread has ROWS elements of a column, and multiplies each element that it loads by up
// to 7 weights. Whether a column of the neighbourhood lies in the image is decided once; whether a row
// does, only where the image's upper or lower border is near.
constexpr int radius = 3, taps = 7;

__constant__ float weights[taps * taps];

template <bool checked>
__device__ __forceinline__ void sums(float (&sum)[ROWS], const float* __restrict__ before, int x, int y0,
                                     int nx, int ny) {
  bool there[taps];
#pragma unroll
  for (int c = 0; c < taps; ++c)
    there[c] = unsigned(x + c - radius) < unsigned(nx);
#pragma unroll
  for (int row = 0; row < ROWS + 2 * radius; ++row) {
    const int y = y0 + row - radius;
    const bool inside = !checked || unsigned(y) < unsigned(ny);
    const int first = y * nx + x - radius;
#pragma unroll
    for (int c = 0; c < taps; ++c) {
      const float value = there[c] && inside ? before[first + c] : 0.0f;
#pragma unroll
      for (int i = 0; i < ROWS; ++i)
        if (0 <= row - i && row - i < taps)
          sum[i] += weights[(row - i) * taps + c] * value;
    }
  }
}

extern "C" __global__ void __launch_bounds__(block_size_x* block_size_y)
    convolution(const float* __restrict__ before, float* __restrict__ after,
                const float* __restrict__ global_weights, int nx, int ny) {
  const int x = blockIdx.x * block_size_x + threadIdx.x;
  const int y0 = (blockIdx.y * block_size_y + threadIdx.y) * ROWS;
  if (x >= nx || y0 >= ny)
    return;
  float sum[ROWS] = {};
  if (y0 >= radius && y0 + ROWS + radius <= ny)
    sums<false>(sum, before, x, y0, nx, ny);
  else
    sums<true>(sum, before, x, y0, nx, ny);
#pragma unroll
  for (int i = 0; i < ROWS; ++i)
    if (y0 + i < ny)
      after[(y0 + i) * nx + x] = sum[i];
}
