// SPDX-License-Identifier: Apache-2.0
// Softmax of rows in two sweeps instead of three: the exponent is anchored by what the block sees in
// its first turns (exp(x - anchor) / sum does not depend on the anchor), so no sweep for the largest
// element is needed. Sixteen-byte accesses where the row allows it.
template <class Join>
__device__ __forceinline__ float over_row(float v, Join join) {
  constexpr int warps = block_size_x / 32;
#pragma unroll
  for (int d = 16; d > 0; d >>= 1)
    v = join(v, __shfl_xor_sync(0xffffffffu, v, d));
  if constexpr (warps > 1) {
    __shared__ float part[warps];
    if ((threadIdx.x & 31) == 0)
      part[threadIdx.x >> 5] = v;
    __syncthreads();
    v = part[threadIdx.x & (warps - 1)];
#pragma unroll
    for (int d = warps / 2; d > 0; d >>= 1)
      v = join(v, __shfl_xor_sync(0xffffffffu, v, d));
  }
  return v;
}

extern "C" __global__ void __launch_bounds__(block_size_x* block_size_y)
    softmax(const float* __restrict__ in, float* __restrict__ out, int rows, int columns) {
  const int row = blockIdx.x * block_size_y + threadIdx.y;
  if (row >= rows)
    return;
  const float* const from = in + size_t(row) * columns;
  float* const to = out + size_t(row) * columns;
  const bool wide = (((size_t)from | (size_t)to) & 15) == 0 && (columns & 3) == 0;

  float anchor = -3.402823466e38f;
#pragma unroll
  for (int l = 0; l < 2; ++l)
    if (const int i = threadIdx.x + l * block_size_x; i < columns)
      anchor = fmaxf(anchor, from[i]);
  anchor = over_row(anchor, [](float a, float b) { return fmaxf(a, b); });

  float sum = 0.0f;
  if (wide) {
    const float4* const f = reinterpret_cast<const float4*>(from);
#pragma unroll 4
    for (int i = threadIdx.x; i < columns / 4; i += block_size_x) {
      const float4 v = f[i];
      sum += (__expf(v.x - anchor) + __expf(v.y - anchor)) +
             (__expf(v.z - anchor) + __expf(v.w - anchor));
    }
  } else {
#pragma unroll 4
    for (int i = threadIdx.x; i < columns; i += block_size_x)
      sum += __expf(from[i] - anchor);
  }
  sum = over_row(sum, [](float a, float b) { return a + b; });
  const float factor = 1.0f / sum;

  if (wide) {
    const float4* const f = reinterpret_cast<const float4*>(from);
    float4* const t = reinterpret_cast<float4*>(to);
#pragma unroll 4
    for (int i = threadIdx.x; i < columns / 4; i += block_size_x) {
      const float4 v = f[i];
      __stcs(t + i, make_float4(__expf(v.x - anchor) * factor, __expf(v.y - anchor) * factor,
                                __expf(v.z - anchor) * factor, __expf(v.w - anchor) * factor));
    }
  } else {
#pragma unroll 4
    for (int i = threadIdx.x; i < columns; i += block_size_x)
      to[i] = __expf(from[i] - anchor) * factor;
  }
}
