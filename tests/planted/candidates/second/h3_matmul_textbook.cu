// gridsmith: VARIANT=tiled TILE_WIDTH=16 UNROLL=0
// C = A B: the first blocks take tiles of 64 x 64, a patch of 4 x 4 for each of 256 threads, steps of
// 16 with the next step's elements under way in registers; the other blocks have nothing to do.
constexpr int edge = 64, depth = 16;

extern "C" __global__ void __launch_bounds__(256)
    matmul_textbook(const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ c,
                    int m, int n, int k) {
  const unsigned tiles_x = (n + edge - 1) / edge, tiles_y = (m + edge - 1) / edge;
  const unsigned id = blockIdx.y * gridDim.x + blockIdx.x;
  if (id >= tiles_x * tiles_y)
    return;
  __shared__ alignas(16) float tile_a[depth][edge + 4], tile_b[depth][edge];
  const int row0 = id / tiles_x * edge, column0 = id % tiles_x * edge;
  const int t = threadIdx.y * 16 + threadIdx.x;
  const int a_row = t / 16, a_step = t % 16;   // and 16 rows on, three times
  const int b_step = t / 64, b_column = t % 64; // and 4 steps on, three times
  float next_a[4], next_b[4];
  const auto fetch = [&](int k0) {
#pragma unroll
    for (int j = 0; j < 4; ++j) {
      const int row = row0 + a_row + 16 * j, step = k0 + b_step + 4 * j;
      next_a[j] = row < m && k0 + a_step < k ? a[size_t(row) * k + k0 + a_step] : 0.0f;
      next_b[j] = step < k && column0 + b_column < n ? b[size_t(step) * n + column0 + b_column] : 0.0f;
    }
  };
  float sum[4][4] = {};
  fetch(0);
  for (int k0 = 0; k0 < k; k0 += depth) {
#pragma unroll
    for (int j = 0; j < 4; ++j) {
      tile_a[a_step][a_row + 16 * j] = next_a[j];
      tile_b[b_step + 4 * j][b_column] = next_b[j];
    }
    __syncthreads();
    if (k0 + depth < k)
      fetch(k0 + depth);
#pragma unroll
    for (int s = 0; s < depth; ++s) {
      const float4 p = *reinterpret_cast<const float4*>(&tile_a[s][threadIdx.y * 4]);
      const float4 q = *reinterpret_cast<const float4*>(&tile_b[s][threadIdx.x * 4]);
      const float of_a[4] = {p.x, p.y, p.z, p.w}, of_b[4] = {q.x, q.y, q.z, q.w};
#pragma unroll
      for (int i = 0; i < 4; ++i)
#pragma unroll
        for (int j = 0; j < 4; ++j)
          sum[i][j] += of_a[i] * of_b[j];
    }
    __syncthreads();
  }
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    const int row = row0 + threadIdx.y * 4 + i, column = column0 + threadIdx.x * 4;
#pragma unroll
    for (int j = 0; j < 4; ++j)
      if (row < m && column + j < n)
        c[size_t(row) * n + column + j] = sum[i][j];
  }
}
