// 5-point stencil, halo tile in shared memory. Block shape from Gridsmith.
#define TILE_X (block_size_x * ITEMS_X)
#define TILE_Y block_size_y
extern "C" __global__ void stencil(float* __restrict__ out, const float* __restrict__ in, float c0, float c1, int nx, int ny) {
  __shared__ float t[TILE_Y + 2][TILE_X + 2 + PAD];
  const int bx = blockIdx.x * TILE_X, by = blockIdx.y * TILE_Y;
  for (int j = threadIdx.y; j < TILE_Y + 2; j += block_size_y)
    for (int i = threadIdx.x; i < TILE_X + 2; i += block_size_x) {
      const int x = bx + i - 1, y = by + j - 1;
      t[j][i] = (x >= 0 && x < nx && y >= 0 && y < ny) ? in[(long long)y * nx + x] : 0.f;
    }
  __syncthreads();
  const int y = by + threadIdx.y;
  for (int i = threadIdx.x; i < TILE_X; i += block_size_x) {
    const int x = bx + i;
    if (x < nx && y < ny)
      out[(long long)y * nx + x] = c0 * t[threadIdx.y + 1][i + 1]
        + c1 * (t[threadIdx.y][i + 1] + t[threadIdx.y + 2][i + 1] + t[threadIdx.y + 1][i] + t[threadIdx.y + 1][i + 2]);
  }
}
extern "C" __global__ void stencil_plain(float* out, const float* in, float c0, float c1, int nx, int ny) {
  const int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
  if (x >= nx || y >= ny) return;
  const long long i = (long long)y * nx + x;
  out[i] = c0 * in[i] + c1 * ((y > 0 ? in[i - nx] : 0.f) + (y + 1 < ny ? in[i + nx] : 0.f) + (x > 0 ? in[i - 1] : 0.f) + (x + 1 < nx ? in[i + 1] : 0.f));
}
