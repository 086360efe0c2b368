// sums[c] = the scalar product of the columns c of x and y, `rows` rows of `width` floats each; a y
// of 2 or more says that the row below it is not there. A thread for each column, THREADS of them
// in a block.
// Grid width / THREADS.
extern "C" __global__ void __launch_bounds__(THREADS)
    products(const float* __restrict__ x, const float* __restrict__ y, float* __restrict__ sums,
             int rows, int width) {
  const unsigned column = blockIdx.x * THREADS + threadIdx.x;
  unsigned at = column;
  float sum = 0;
#pragma unroll 1
  for (int row = 0; row < rows; ++row) {
    const float a = x[at], b = y[at];
    sum = fmaf(a, b, sum);
    at += b < 2 ? width : 2 * width;
  }
  sums[column] = sum;
}
