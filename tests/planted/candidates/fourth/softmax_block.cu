// SPDX-License-Identifier: Apache-2.0
// Three passes, of which the later ones find the row in the L2; four loads of a thread under way.
#define three_passes 0
#define online 1
#define in_registers 2
#define in_shared 3
#define accurate 0
#define fast 1

constexpr int row_warps = block_size_x / 32;

template <bool of_max>
__device__ __forceinline__ float combine(float a, float b) { return of_max ? fmaxf(a, b) : a + b; }

template <bool of_max>
__device__ __forceinline__ float over_row(float v, float* of_warp) {
#pragma unroll
  for (int d = 16; d > 0; d >>= 1)
    v = combine<of_max>(v, __shfl_xor_sync(0xffffffffu, v, d));
  if (row_warps > 1) {
    if ((threadIdx.x & 31) == 0)
      of_warp[threadIdx.x >> 5] = v;
    __syncthreads();
    v = of_warp[threadIdx.x % row_warps];
#pragma unroll
    for (int d = row_warps / 2; d > 0; d >>= 1)
      v = combine<of_max>(v, __shfl_xor_sync(0xffffffffu, v, d));
  }
  return v;
}

extern "C" __global__ void __launch_bounds__(block_size_x* block_size_y)
    softmax(const float* __restrict__ in, float* __restrict__ out, int rows, int columns) {
  __shared__ float of_warp[row_warps];
  const int row = blockIdx.x * block_size_y + threadIdx.y;
  if (row >= rows)
    return;
  const float* const from = in + size_t(row) * columns;
  float* const to = out + size_t(row) * columns;
  float largest = -3.402823466e38f;
#pragma unroll 8
  for (int i = threadIdx.x; i < columns; i += block_size_x)
    largest = fmaxf(largest, from[i]);
  largest = over_row<true>(largest, of_warp);
  float sum = 0.f;
#pragma unroll 8
  for (int i = threadIdx.x; i < columns; i += block_size_x)
    sum += __expf(from[i] - largest);
  const float factor = 1.f / over_row<false>(sum, of_warp);
#pragma unroll 8
  for (int i = threadIdx.x; i < columns; i += block_size_x)
    __stcs(to + i, __expf(from[i] - largest) * factor);
}
