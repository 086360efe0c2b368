// SPDX-License-Identifier: Apache-2.0
// The tiled product with the loop over a tile unrolled, rows of A read from shared memory by four,
// and the next tiles on their way from global memory while these are multiplied. Two buffers, so that
// a turn has one barrier.
constexpr int w = TILE_WIDTH;

struct alignas(16) Row {
  float element[w];
};

extern "C" __global__ void __launch_bounds__(w* w)
    matmul_textbook(const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ c,
                    int m, int n, int k) {
  __shared__ Row tile_a[2][w];
  __shared__ float tile_b[2][w][w];
  const int x = threadIdx.x, y = threadIdx.y;
  const int row = blockIdx.y * w + y, column = blockIdx.x * w + x;
  const bool row_there = row < m, column_there = column < n;
  const float* const of_a = a + (row_there ? size_t(row) * k : 0);
  const float* const of_b = b + (column_there ? column : 0);
  float next_a = row_there && x < k ? of_a[x] : 0.0f;
  float next_b = column_there && y < k ? of_b[size_t(y) * n] : 0.0f;
  float sum = 0.0f;
  int now = 0;
  for (int i0 = 0; i0 < k; i0 += w, now ^= 1) {
    tile_a[now][y].element[x] = next_a;
    tile_b[now][y][x] = next_b;
    __syncthreads();
    if (i0 + w < k) {
      const int ia = i0 + w + x, ib = i0 + w + y;
      next_a = row_there && ia < k ? of_a[ia] : 0.0f;
      next_b = column_there && ib < k ? of_b[size_t(ib) * n] : 0.0f;
    }
#pragma unroll
    for (int i = 0; i < w; i += 4) {
      const float4 f = *reinterpret_cast<const float4*>(&tile_a[now][y].element[i]);
      sum += f.x * tile_b[now][i][x];
      sum += f.y * tile_b[now][i + 1][x];
      sum += f.z * tile_b[now][i + 2][x];
      sum += f.w * tile_b[now][i + 3][x];
    }
  }
  if (row_there && column_there)
    c[size_t(row) * n + column] = sum;
}
