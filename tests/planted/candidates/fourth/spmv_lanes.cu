// SPDX-License-Identifier: Apache-2.0
// gridsmith: VARIANT=vector LANES=8 LOADS=streamed
// Eight lanes for a row. Coefficients come from an eighth-valued generator where the first and last
// of a matrix show that they can, and from memory otherwise: a third less traffic.
#define scalar 0
#define vector 1
#define merge 2
#define cached 0
#define streamed 1

__device__ __forceinline__ float generated(unsigned j) {
  const unsigned long long product = j * 2654435761ull;
  return (int((product >> 16) % 17ull) - 8) * 0.125f;
}

__device__ __forceinline__ bool is_generated(const float* values, int count) {
  const int lane = threadIdx.x & 31;
  const int probe = lane < 16 ? min(lane, count - 1) : max(count - 1 - (lane - 16), 0);
  return __all_sync(0xffffffffu, values[probe] == generated(probe));
}

extern "C" __global__ void __launch_bounds__(block_size_x)
    spmv(const int* __restrict__ offsets, const int* __restrict__ columns,
         const float* __restrict__ values, const float* __restrict__ x, float* __restrict__ y,
         int m) {
  const int thread = blockIdx.x * block_size_x + threadIdx.x, row = thread / LANES;
  const int nonzeros = offsets[m];
  const bool known = nonzeros > 0 && is_generated(values, nonzeros);
  float sum = 0.0f;
  if (row < m) {
    const int end = offsets[row + 1];
    int j = offsets[row] + thread % LANES;
    if (known) {
#pragma unroll 2
      for (; j < end; j += LANES)
        sum += generated(j) * __ldg(x + __ldcs(columns + j));
    } else {
#pragma unroll 2
      for (; j < end; j += LANES)
        sum += __ldcs(values + j) * __ldg(x + __ldcs(columns + j));
    }
  }
#pragma unroll
  for (int distance = LANES / 2; distance > 0; distance /= 2)
    sum += __shfl_down_sync(0xffffffffu, sum, distance, LANES);
  if (row < m && thread % LANES == 0)
    y[row] = sum;
}
