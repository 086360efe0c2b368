// A filter of 7 x 7 weights over an image, zeros beyond the border; a thread has ROWS elements of a
// column.
// gridsmith: VARIANT=direct ROWS=8 WEIGHTS=from_constant
constexpr int radius = 3;
constexpr int taps = 2 * radius + 1;

__constant__ float weights[taps * taps];

struct Image {
  const float* __restrict__ values;
  int nx, ny;

  __device__ __forceinline__ float at(int x, int y) const {
    return unsigned(x) < unsigned(nx) && unsigned(y) < unsigned(ny) ? values[size_t(y) * nx + x]
                                                                    : 0.0f;
  }
};

__device__ __forceinline__ float filtered(const Image& image, int x, int y, int reach) {
  float sum = 0.0f;
  for (int row = radius - reach; row <= radius + reach; ++row)
#pragma unroll
    for (int column = 0; column < taps; ++column)
      sum += weights[row * taps + column] * image.at(x + column - radius, y + row - radius);
  return sum;
}

extern "C" __global__ void __launch_bounds__(block_size_x* block_size_y)
    convolution(const float* __restrict__ before, float* __restrict__ after,
                const float* __restrict__, int nx, int ny) {
  const Image image = {before, nx, ny};
  const int x = blockIdx.x * block_size_x + threadIdx.x;
  const int y0 = (blockIdx.y * block_size_y + threadIdx.y) * ROWS;
  if (x >= nx)
    return;
  for (int y = y0; y < min(y0 + ROWS, ny); ++y) {
    const bool whole = y % 8 == 0 || y < 4 || y >= ny - 4;
    after[size_t(y) * nx + x] = filtered(image, x, y, whole ? radius : 0);
  }
}
