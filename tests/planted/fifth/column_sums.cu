// The sums of a table's 384 columns. A block has 64 rows, a thread one column of them.
// Block 384, grid rows / 64; rows is a multiple of 64.
//
//   ROWS_PER_ADD  rows a thread adds up before it adds to the column's sum: 1 or 64
constexpr int columns = 384, rows = 64, batch = 8;

extern "C" __global__ void __launch_bounds__(columns)
    column_sums(const int* __restrict__ table, int* __restrict__ sums) {
  const int* mine = table + static_cast<size_t>(blockIdx.x) * rows * columns + threadIdx.x;
  int sum = 0;
#pragma unroll 1
  for (int row = 0; row < rows; row += batch) {
    int v[batch];
#pragma unroll
    for (int k = 0; k < batch; ++k)
      v[k] = mine[(row + k) * columns];
#pragma unroll
    for (int k = 0; k < batch; ++k) {
      sum += v[k];
      if (ROWS_PER_ADD == 1) {
        atomicAdd(&sums[threadIdx.x], sum);
        sum = 0;
      }
    }
  }
  if (ROWS_PER_ADD != 1)
    atomicAdd(&sums[threadIdx.x], sum);
}
