// A thread for a row, whose nonzeros are all under way together: the loop is unrolled to a constant
// number of slots, those behind the row's end masked.
constexpr int slots = 16; // 15 nonzeros of a row, and one to spare

extern "C" __global__ void __launch_bounds__(block_size_x)
    spmv(const int* __restrict__ offsets, const int* __restrict__ columns,
         const float* __restrict__ values, const float* __restrict__ x, float* __restrict__ y,
         int m) {
  const int row = blockIdx.x * block_size_x + threadIdx.x;
  if (row >= m)
    return;
  const int begin = offsets[row], length = offsets[row + 1] - begin;
  int column[slots];
  float value[slots];
#pragma unroll
  for (int k = 0; k < slots; ++k) {
    column[k] = k < length ? columns[begin + k] : 0;
    value[k] = k < length ? values[begin + k] : 0.0f;
  }
  float sum = 0.0f;
#pragma unroll
  for (int k = 0; k < slots; ++k)
    if (k < length)
      sum += value[k] * x[column[k]];
  y[row] = sum;
}
