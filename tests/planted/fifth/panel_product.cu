// out(c, m) = sum over k of a(k, m) b(k, c): a is k x 8192, b is k x 1056, out is 1056 x 8192, each
// row by row.
// A thread has one m and 32 columns c of b, of which a block keeps 128 k at a time.
// Block 256, grid (m / 256, n / 32); k is a multiple of 128.
//
//   COLUMNS_AT_ONCE  columns for which an element of a, once loaded, is used: 2 or 32
constexpr int threads = 256, m = 8192, n = 1056, columns = 32, part = 128;
constexpr int unroll = COLUMNS_AT_ONCE == 2 ? 16 : 8; // as many loads as there is room for

extern "C" __global__ void __launch_bounds__(threads, 4)
    panel_product(const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ out,
                  int k) {
  __shared__ __align__(16) float panel[part][columns];
  const int row = blockIdx.x * threads + threadIdx.x, column = blockIdx.y * columns;
  const float* panel_of_b = b + column + threadIdx.x % columns;
  float sum[columns] = {};
#pragma unroll 1
  for (int from = 0; from < k; from += part) {
    __syncthreads();
#pragma unroll 4
    for (int l = threadIdx.x / columns; l < part; l += threads / columns)
      panel[l][threadIdx.x % columns] = panel_of_b[(from + l) * n];
    __syncthreads();
#pragma unroll
    for (int c = 0; c < columns; c += COLUMNS_AT_ONCE) {
      const float* next = a + from * m + row;
#pragma unroll unroll
      for (int l = 0; l < part; ++l) {
        const float v = next[l * m];
#pragma unroll
        for (int j = c; j < c + COLUMNS_AT_ONCE; ++j)
          sum[j] += v * panel[l][j];
      }
    }
  }
#pragma unroll
  for (int c = 0; c < columns; ++c)
    out[(column + c) * m + row] = sum[c];
}
