// SPDX-License-Identifier: Apache-2.0
// A tile through shared memory, 16 bytes for each access of global memory: a quarter of the
// instructions. n is a multiple of TILE, so that rows keep the alignment of the arrays; if those are
// not aligned, element by element.
extern "C" __global__ void __launch_bounds__(TILE * ROWS)
transpose(const float* __restrict__ in, float* __restrict__ out, int n) {
  constexpr int threads = TILE * ROWS, quads = TILE / 4, items = TILE * quads;
  __shared__ float tile[TILE][TILE + 1];
  const int t = threadIdx.y * TILE + threadIdx.x;
  const float* const from = in + (size_t)blockIdx.y * TILE * n + (size_t)blockIdx.x * TILE;
  float* const to = out + (size_t)blockIdx.x * TILE * n + (size_t)blockIdx.y * TILE;
  if (((reinterpret_cast<size_t>(in) | reinterpret_cast<size_t>(out)) & 15) == 0) {
#pragma unroll
    for (int i = t; i < items; i += threads) {
      const int r = i / quads, c = i % quads * 4;
      const float4 q = __ldcs(reinterpret_cast<const float4*>(from + (size_t)r * n + c));
      tile[r][c] = q.x;
      tile[r][c + 1] = q.y;
      tile[r][c + 2] = q.z;
      tile[r][c + 3] = q.w;
    }
    __syncthreads();
#pragma unroll
    for (int i = t; i < items; i += threads) {
      const int c = i / quads, r = i % quads * 4;
      __stcs(reinterpret_cast<float4*>(to + (size_t)c * n + r),
             make_float4(tile[r][c], tile[r + 1][c], tile[r + 2][c], tile[r + 3][c]));
    }
  } else {
    for (int i = t; i < TILE * TILE; i += threads)
      tile[i / TILE][i % TILE] = from[(size_t)(i / TILE) * n + i % TILE];
    __syncthreads();
    for (int i = t; i < TILE * TILE; i += threads)
      to[(size_t)(i / TILE) * n + i % TILE] = tile[i % TILE][i / TILE];
  }
}
