// SPDX-License-Identifier: Apache-2.0
// CSR by streams: the nonzeros of a block's rows are one contiguous run, which the block reads side
// by side, multiplies, and leaves in shared memory; then each thread adds up its own row from there.
// All global loads are coalesced. Room for 20 products per row on the average of a block.
constexpr int room = block_size_x * 20;

extern "C" __global__ void __launch_bounds__(block_size_x)
    spmv(const int* __restrict__ offsets, const int* __restrict__ columns,
         const float* __restrict__ values, const float* __restrict__ x, float* __restrict__ y,
         int m) {
  __shared__ float products[room];
  const int first_row = blockIdx.x * block_size_x;
  const int row = first_row + threadIdx.x;
  const int rows = min(int(block_size_x), m - first_row);
  if (rows <= 0)
    return;
  const int begin = offsets[first_row], end = offsets[first_row + rows];
  const int count = min(end - begin, room);
#pragma unroll 4
  for (int i = threadIdx.x; i < count; i += block_size_x)
    products[i] = __ldcs(values + begin + i) * x[__ldcs(columns + begin + i)];
  __syncthreads();
  if (row < m) {
    const int from = offsets[row] - begin, to = min(offsets[row + 1] - begin, count);
    float sum = 0.0f;
    for (int j = from; j < to; ++j)
      sum += products[j];
    y[row] = sum;
  }
}
