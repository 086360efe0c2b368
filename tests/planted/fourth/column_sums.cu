// sums[c] = the sum of column c of `rows` x `width` words, modulo 2^32. A thread for each column;
// neighbouring threads take columns that are STRIDE apart, the columns between are taken by later
// blocks.
// Block 256, grid width / 256; rows a multiple of 16, width of 512.
extern "C" __global__ void __launch_bounds__(256)
    column_sums(const unsigned* __restrict__ in, unsigned* __restrict__ sums, int rows, int width) {
  const unsigned thread = blockIdx.x * 256 + threadIdx.x, group = width / STRIDE;
  const unsigned column = thread % group * STRIDE + thread / group;
  unsigned sum = 0;
#pragma unroll 1
  for (int row = 0; row < rows; row += 16) {
#pragma unroll
    for (int k = 0; k < 16; ++k)
      sum += in[(row + k) * width + column];
  }
  sums[column] = sum;
}
