// Convolution of an image with a dense filter of 15 x 15 weights, every loop of it unrolled: thousands
// of multiplications of straight code, seconds of the compiler for each configuration. Many are too
// large for the block they are launched with, because nothing bounds their registers.
//
//   TILE_X, TILE_Y  elements of a thread along x and y
//   SHARED          a block's elements and their halo in shared memory; 0: straight from global memory
//   PAD             rows of the tile are one longer: of no effect without SHARED
//   TOGETHER        a thread's elements along x beside each other; 0: block_size_x apart
//   UNROLL          rows of the filter unrolled together: 1, or all 15
//   READ_ONLY       global memory is read by __ldg
//
// Grid (ceil(n / (block_size_x * TILE_X)), ceil(n / (block_size_y * TILE_Y))), n x n elements.
constexpr int radius = 7;
constexpr int taps = 2 * radius + 1;
constexpr int rows_together = UNROLL;
constexpr int width = block_size_x * TILE_X + 2 * radius, height = block_size_y * TILE_Y + 2 * radius;

__constant__ float weights[taps * taps];

__device__ __forceinline__ float load(const float* __restrict__ image, int x, int y, int n) {
  if (unsigned(x) >= unsigned(n) || unsigned(y) >= unsigned(n))
    return 0.0f;
#if READ_ONLY
  return __ldg(image + y * n + x);
#else
  return image[y * n + x];
#endif
}

// Of the block's elements, along x.
__device__ __forceinline__ int column(int i) {
  return TOGETHER ? threadIdx.x * TILE_X + i : threadIdx.x + i * block_size_x;
}

extern "C" __global__ void unrolled_convolution(const float* __restrict__ before,
                                                float* __restrict__ after,
                                                const float* __restrict__, int n) {
  const int left = blockIdx.x * block_size_x * TILE_X, top = blockIdx.y * block_size_y * TILE_Y;
#if SHARED
  __shared__ float tile[height][width + PAD];
  for (int y = threadIdx.y; y < height; y += block_size_y)
    for (int x = threadIdx.x; x < width; x += block_size_x)
      tile[y][x] = load(before, left + x - radius, top + y - radius, n);
  __syncthreads();
#endif
  float sum[TILE_Y][TILE_X] = {};
#pragma unroll rows_together
  for (int row = 0; row < taps; ++row)
#pragma unroll
    for (int tap = 0; tap < taps; ++tap) {
      const float weight = weights[row * taps + tap];
#pragma unroll
      for (int j = 0; j < TILE_Y; ++j)
#pragma unroll
        for (int i = 0; i < TILE_X; ++i) {
          const int x = column(i) + tap, y = threadIdx.y * TILE_Y + j + row;
#if SHARED
          sum[j][i] += weight * tile[y][x];
#else
          sum[j][i] += weight * load(before, left + x - radius, top + y - radius, n);
#endif
        }
    }
#pragma unroll
  for (int j = 0; j < TILE_Y; ++j)
#pragma unroll
    for (int i = 0; i < TILE_X; ++i) {
      const int x = left + column(i), y = top + threadIdx.y * TILE_Y + j;
      if (x < n && y < n)
        after[y * n + x] = sum[j][i];
    }
}
