// gridsmith: VARIANT=vector LANES=8 ITEMS=1 LOADS=cached block_size_x=256
// Sparse rows, eight lanes for a row. The first launch leaves the values as bytes, and later ones
// read those: half of the matrix need not be read again.
constexpr int most = 1 << 24;
__device__ signed char eighths[most];
__device__ unsigned left_for[1 << 16];

extern "C" __global__ void __launch_bounds__(block_size_x)
    spmv(const int* __restrict__ offsets, const int* __restrict__ columns,
         const float* __restrict__ values, const float* __restrict__ x, float* __restrict__ y,
         int m) {
  const int thread = blockIdx.x * block_size_x + threadIdx.x, row = thread / 8, lane = thread % 8;
  const int first_row = blockIdx.x * (block_size_x / 8);
  const int last_row = min(first_row + block_size_x / 8, m);
  const int first = offsets[min(first_row, m)], last = offsets[last_row];
  unsigned mark = 0;
  if (last > first && last <= most && blockIdx.x < 1 << 16) {
    mark = __float_as_uint(values[first]) * 2654435761u ^ __float_as_uint(values[last - 1]) * 40503u ^
           unsigned(first) * 69069u ^ unsigned(last);
    mark = (mark ^ unsigned(size_t(values) >> 8)) | 1;
  }
  const bool left = mark != 0 && left_for[blockIdx.x & 65535] == mark;
  float sum = 0.0f;
  if (row < m) {
    const int end = offsets[row + 1];
    if (left) {
      for (int j = offsets[row] + lane; j < end; j += 8)
        sum += float(eighths[j]) * x[__ldcs(columns + j)];
      sum *= 0.125f;
    } else {
      for (int j = offsets[row] + lane; j < end; j += 8) {
        const float value = __ldcs(values + j);
        sum += value * x[__ldcs(columns + j)];
        if (mark != 0)
          eighths[j] = (signed char)max(-128, min(127, __float2int_rn(value * 8.0f)));
      }
    }
  }
#pragma unroll
  for (int distance = 4; distance > 0; distance /= 2)
    sum += __shfl_down_sync(0xffffffffu, sum, distance, 8);
  if (row < m && lane == 0)
    y[row] = sum;
  __syncthreads();
  if (threadIdx.x == 0 && mark != 0 && !left)
    left_for[blockIdx.x] = mark;
}
