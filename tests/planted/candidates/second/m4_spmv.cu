// gridsmith: VARIANT=vector LANES=16 ITEMS=1 LOADS=cached block_size_x=256
// Sparse rows: 16 lanes take a row side by side, one nonzero each, and join by shuffles.
extern "C" __global__ void __launch_bounds__(block_size_x)
    spmv(const int* __restrict__ offsets, const int* __restrict__ columns,
         const float* __restrict__ values, const float* __restrict__ x, float* __restrict__ y,
         int m) {
  const int thread = blockIdx.x * block_size_x + threadIdx.x, row = thread / 16, lane = thread % 16;
  float sum = 0.0f;
  if (row < m) {
    const int j = offsets[row] + lane;
    if (j < offsets[row + 1])
      sum = __ldcs(values + j) * x[__ldcs(columns + j)];
  }
#pragma unroll
  for (int distance = 8; distance > 0; distance /= 2)
    sum += __shfl_down_sync(0xffffffffu, sum, distance, 16);
  if (row < m && lane == 0)
    y[row] = sum;
}
