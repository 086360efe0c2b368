// An image of 32-bit pixels, turned clockwise by a quarter.
//
//   TILE_PITCH  words from row to row of the 32 x 32 tile that goes through shared memory; 0: pixels
//               are moved one by one, without a tile
//
// Block (32, 8), grid (width / 32, height / 32); 32 divides both.
extern "C" __global__ void __launch_bounds__(256)
    rotate_image(const unsigned* __restrict__ in, unsigned* __restrict__ out, int height,
                 int width) {
  const int x0 = blockIdx.x * 32, y0 = blockIdx.y * 32;
#if TILE_PITCH == 0
#pragma unroll
  for (int j = threadIdx.y; j < 32; j += 8)
    out[(size_t)(x0 + threadIdx.x) * height + height - 1 - (y0 + j)] =
        in[(size_t)(y0 + j) * width + x0 + threadIdx.x];
#else
  __shared__ unsigned tile[32 * TILE_PITCH];
#pragma unroll
  for (int j = threadIdx.y; j < 32; j += 8)
    tile[j * TILE_PITCH + threadIdx.x] = in[(size_t)(y0 + j) * width + x0 + threadIdx.x];
  __syncthreads();
#pragma unroll
  for (int j = threadIdx.y; j < 32; j += 8)
    out[(size_t)(x0 + j) * height + height - 1 - (y0 + threadIdx.x)] =
        tile[threadIdx.x * TILE_PITCH + j];
#endif
}
