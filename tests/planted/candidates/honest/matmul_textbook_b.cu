// C = A * B, row-major, any m, n, k. Each thread makes 4 x 4 elements in registers, so that a block
// makes 4 x 4 tiles of TILE_WIDTH: of the grid, which has a block for each tile, one block in 16 has
// work. Slices of A (turned) and B go through shared memory, the next one is read while one is used.
// gridsmith: VARIANT=tiled TILE_WIDTH=16 UNROLL=0
#define EACH 4
#define SIDE (EACH * TILE_WIDTH) // of the part of C that a block makes
#define DEPTH TILE_WIDTH         // of a slice
#define THREADS (TILE_WIDTH * TILE_WIDTH)
#define PIECES (SIDE * DEPTH / THREADS)
#define STEP (THREADS / SIDE)

extern "C" __global__ void __launch_bounds__(THREADS)
    matmul_textbook(const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ c,
                    int m, int n, int k) {
  if (blockIdx.x % EACH != 0 || blockIdx.y % EACH != 0)
    return;
  __shared__ __align__(16) float slice_a[DEPTH][SIDE + 4];
  __shared__ __align__(16) float slice_b[DEPTH][SIDE];
  const int x = threadIdx.x, y = threadIdx.y, t = y * TILE_WIDTH + x;
  const int row0 = blockIdx.y * TILE_WIDTH, column0 = blockIdx.x * TILE_WIDTH;
  // This thread's places in the slices: rows of A TILE_WIDTH apart, rows of B STEP apart.
  const int b_row = t / SIDE, b_column = column0 + t % SIDE;
  const float* const from_a = a + size_t(row0 + y) * k + x;
  const float* const from_b = b + size_t(b_row) * n + b_column;
  float next_a[PIECES], next_b[PIECES];

  const auto load = [&](int k0) {
#pragma unroll
    for (int p = 0; p < PIECES; ++p) {
      next_a[p] = row0 + y + p * TILE_WIDTH < m && k0 + x < k
                      ? from_a[size_t(p * TILE_WIDTH) * k + k0]
                      : 0.0f;
      next_b[p] = k0 + b_row + p * STEP < k && b_column < n
                      ? from_b[size_t(k0 + p * STEP) * n]
                      : 0.0f;
    }
  };

  float sum[EACH][EACH] = {};
  load(0);
  for (int k0 = 0; k0 < k; k0 += DEPTH) {
#pragma unroll
    for (int p = 0; p < PIECES; ++p) {
      slice_a[x][y + p * TILE_WIDTH] = next_a[p];
      slice_b[b_row + p * STEP][t % SIDE] = next_b[p];
    }
    __syncthreads();
    if (k0 + DEPTH < k)
      load(k0 + DEPTH);
#pragma unroll
    for (int i = 0; i < DEPTH; ++i) {
      const float4 four_a = *reinterpret_cast<const float4*>(&slice_a[i][y * EACH]);
      const float4 four_b = *reinterpret_cast<const float4*>(&slice_b[i][x * EACH]);
      const float of_a[EACH] = {four_a.x, four_a.y, four_a.z, four_a.w};
      const float of_b[EACH] = {four_b.x, four_b.y, four_b.z, four_b.w};
#pragma unroll
      for (int r = 0; r < EACH; ++r)
#pragma unroll
        for (int s = 0; s < EACH; ++s)
          sum[r][s] += of_a[r] * of_b[s];
    }
    __syncthreads();
  }
#pragma unroll
  for (int r = 0; r < EACH; ++r) {
    const int row = row0 + y * EACH + r;
#pragma unroll
    for (int s = 0; s < EACH; ++s) {
      const int column = column0 + x * EACH + s;
      if (row < m && column < n)
        c[size_t(row) * n + column] = sum[r][s];
    }
  }
}
