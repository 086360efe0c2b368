// SPDX-License-Identifier: Apache-2.0
// gridsmith: STEP=several TILE=64 ROWS=4
// Tiles as before, but quads of floats are loaded and stored where rows allow it.
#define rows 0
#define elements 1
#define tiles 2
#define padded 3
#define several 4

template <class T>
__global__ void __launch_bounds__(TILE* ROWS)
    transpose(const T* __restrict__ in, T* __restrict__ out, int m, int n) {
  constexpr int threads = TILE * ROWS, quads = TILE / 4;
  __shared__ T tile[TILE][TILE + 1];
  const int t = threadIdx.y * TILE + threadIdx.x;
  const int row0 = blockIdx.y * TILE, column0 = blockIdx.x * TILE;
  const bool whole = row0 + TILE <= m && column0 + TILE <= n;
  if (whole && n % 4 == 0) {
#pragma unroll
    for (int i = t; i < TILE * quads; i += threads) {
      const int r = i / quads, c = i % quads * 4;
      const float4 q = *reinterpret_cast<const float4*>(in + (size_t)(row0 + r) * n + column0 + c);
      tile[r][c] = q.x;
      tile[r][c + 1] = q.y;
      tile[r][c + 2] = q.z;
      tile[r][c + 3] = q.w;
    }
    __syncthreads();
#pragma unroll
    for (int i = t; i < TILE * quads; i += threads) {
      const int c = i / quads, r = i % quads * 4;
      *reinterpret_cast<float4*>(out + (size_t)(column0 + c) * m + row0 + r) =
          make_float4(tile[r][c], tile[r + 1][c], tile[r + 2][c], tile[r + 3][c]);
    }
    return;
  }
  for (int i = t; i < TILE * TILE; i += threads) {
    const int r = i / TILE, c = i % TILE;
    if (row0 + r < m && column0 + c < n)
      tile[r][c] = in[(size_t)(row0 + r) * n + column0 + c];
  }
  __syncthreads();
  for (int i = t; i < TILE * TILE; i += threads) {
    const int c = i / TILE, r = i % TILE;
    if (row0 + r < m && column0 + c < n)
      out[(size_t)(column0 + c) * m + row0 + r] = tile[r][c];
  }
}
