// gridsmith: VARIANT=tiled TILE=64 ROWS=4 PADDING=1 ELEMENTS=1 STREAM=0 BAND=1
// Transpose by tiles of 64 x 64, 256 threads. Where rows on both sides begin at 16 bytes, a thread
// turns a patch of 4 x 4 in registers, and the tile is swizzled; else element by element through a
// padded tile. Tiles are taken column by column, so that out is written from end to end.
extern "C" __global__ void __launch_bounds__(256)
    transpose(const float* __restrict__ in, float* __restrict__ out, int m, int n) {
  __shared__ alignas(16) float memory[64 * 65];
  const unsigned id = blockIdx.y * gridDim.x + blockIdx.x;
  const int row0 = id % gridDim.y * 64, column0 = id / gridDim.y * 64;
  const int t = threadIdx.y * 64 + threadIdx.x;
  if (m % 4 == 0 && n % 4 == 0 && ((size_t(in) | size_t(out)) & 15) == 0) {
    float4* const tile = reinterpret_cast<float4*>(memory); // 64 lines of 16 patches
    const int x = t % 16, y = t / 16;
    const int row = row0 + y * 4, column = column0 + x * 4;
    float4 p[4] = {};
    if (row < m && column < n) {
#pragma unroll
      for (int i = 0; i < 4; ++i)
        p[i] = *reinterpret_cast<const float4*>(in + size_t(row + i) * n + column);
    }
    tile[(x * 4 + 0) * 16 + (y ^ x)] = make_float4(p[0].x, p[1].x, p[2].x, p[3].x);
    tile[(x * 4 + 1) * 16 + (y ^ x)] = make_float4(p[0].y, p[1].y, p[2].y, p[3].y);
    tile[(x * 4 + 2) * 16 + (y ^ x)] = make_float4(p[0].z, p[1].z, p[2].z, p[3].z);
    tile[(x * 4 + 3) * 16 + (y ^ x)] = make_float4(p[0].w, p[1].w, p[2].w, p[3].w);
    __syncthreads();
    const int line = column0 + y * 4, place = row0 + x * 4;
    if (line < n && place < m) {
#pragma unroll
      for (int i = 0; i < 4; ++i)
        *reinterpret_cast<float4*>(out + size_t(line + i) * m + place) =
            tile[(y * 4 + i) * 16 + (x ^ y)];
    }
    return;
  }
  const int x = t % 64, y = t / 64;
#pragma unroll
  for (int j = 0; j < 64; j += 4)
    if (row0 + y + j < m && column0 + x < n)
      memory[(y + j) * 65 + x] = in[size_t(row0 + y + j) * n + column0 + x];
  __syncthreads();
#pragma unroll
  for (int j = 0; j < 64; j += 4)
    if (column0 + y + j < n && row0 + x < m)
      out[size_t(column0 + y + j) * m + row0 + x] = memory[x * 65 + y + j];
}
