// Softmax of rows in two passes: one sums the exponentials, the other writes them, scaled. Powers of
// two are what the hardware has, so the factor log2(e) is taken out of the exponential. The row is
// read twice, the second time from the L2.
#define LOG2E 1.4426950408889634f

template <int lanes>
__device__ __forceinline__ float sum_of_lanes(float value) {
#pragma unroll
  for (int distance = lanes / 2; distance > 0; distance /= 2)
    value += __shfl_xor_sync(0xffffffffu, value, distance);
  return value;
}

__device__ __forceinline__ float sum_of_row(float value) {
  constexpr int warps = block_size_x / 32;
  value = sum_of_lanes<32>(value);
  if constexpr (warps > 1) {
    __shared__ float of_warp[warps];
    if (threadIdx.x % 32 == 0)
      of_warp[threadIdx.x / 32] = value;
    __syncthreads();
    value = sum_of_lanes<warps>(of_warp[threadIdx.x % warps]);
  }
  return value;
}

extern "C" __global__ void __launch_bounds__(block_size_x* block_size_y)
    softmax(const float* __restrict__ in, float* __restrict__ out, int rows, int columns) {
  const int row = blockIdx.x * block_size_y + threadIdx.y;
  if (row >= rows)
    return;
  const float* from = in + (size_t)row * columns;
  float* to = out + (size_t)row * columns;

  float first = 0.0f, second = 0.0f; // two chains, so that additions overlap
  int i = threadIdx.x;
  for (; i + block_size_x < columns; i += 2 * block_size_x) {
    first += exp2f(from[i] * LOG2E);
    second += exp2f(from[i + block_size_x] * LOG2E);
  }
  if (i < columns)
    first += exp2f(from[i] * LOG2E);

  const float factor = 1.0f / sum_of_row(first + second);
#pragma unroll 4
  for (int j = threadIdx.x; j < columns; j += block_size_x)
    to[j] = exp2f(from[j] * LOG2E) * factor;
}
