// An image of 32-bit pixels, turned clockwise by a quarter.
//
//   TILE_PITCH  words from row to row of a 32 x 32 tile in shared memory; 0: pixels
//               are moved one by one, without one
//
// Block (32, 8), grid (width / 32, height / 32); 32 divides both.
extern "C" __global__ void __launch_bounds__(256)
    rotate_image(const unsigned* __restrict__ in, unsigned* __restrict__ out, int height,
                 int width) {
  const int x0 = blockIdx.x * 32, y0 = blockIdx.y * 32, x = threadIdx.x, y = threadIdx.y;
#if TILE_PITCH == 0
#pragma unroll
  for (int j = 0; j < 32; j += 8)
    out[(size_t)(x0 + x) * height + height - 1 - (y0 + y + j)] =
        in[(size_t)(y0 + y + j) * width + x0 + x];
#else
  __shared__ unsigned tile[32 * TILE_PITCH];
#pragma unroll
  for (int j = 0; j < 32; j += 8)
    tile[(y + j) * TILE_PITCH + x] = in[(size_t)(y0 + y + j) * width + x0 + x];
  __syncthreads();
#pragma unroll
  for (int j = 0; j < 32; j += 8)
    out[(size_t)(x0 + y + j) * height + height - 1 - (y0 + x)] = tile[x * TILE_PITCH + y + j];
#endif
}
