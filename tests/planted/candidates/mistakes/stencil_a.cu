// Star stencil of radius 2 in two dimensions from a tile in shared memory. Threads at the rim of a
// block load the halo next to them; a star needs no corners. Beyond the border of the field lie
// zeros.
// gridsmith: VARIANT=tile DEPTH=1 WEIGHTS=from_constant

__constant__ float weights[7];

template <int axes>
__global__ void __launch_bounds__(block_size_x* block_size_y)
    stencil(const float* __restrict__ before, float* __restrict__ after,
            const float* __restrict__ global_weights, int nx, int ny, int nz) {
  constexpr int halo = 2;
  __shared__ float field[block_size_y + 2 * halo][block_size_x + 2 * halo];
  const int x = blockIdx.x * block_size_x + threadIdx.x;
  const int y = blockIdx.y * block_size_y + threadIdx.y;
  const int sx = threadIdx.x + halo, sy = threadIdx.y + halo;
  const float* here = before + (size_t)y * nx + x;

  if (x < nx && y < ny) {
    field[sy][sx] = *here;
    if (threadIdx.x < halo)
      field[sy][threadIdx.x] = x - halo >= 0 ? here[-halo] : 0.0f;
    if (threadIdx.x >= block_size_x - halo)
      field[sy][sx + halo] = x + halo < nx ? here[halo] : 0.0f;
    if (threadIdx.y < halo)
      field[threadIdx.y][sx] = y - halo >= 0 ? here[-(long long)halo * nx] : 0.0f;
    if (threadIdx.y >= block_size_y - halo)
      field[sy + halo][sx] = y + halo < ny ? here[(long long)halo * nx] : 0.0f;
  }
  __syncthreads();

  if (x < nx && y < ny) {
    float sum = weights[0] * field[sy][sx];
#pragma unroll
    for (int d = 1; d <= halo; ++d) {
      sum += weights[d] * (field[sy][sx - d] + field[sy][sx + d]);
      sum += weights[halo + d] * (field[sy - d][sx] + field[sy + d][sx]);
    }
    after[(size_t)y * nx + x] = sum;
  }
}
