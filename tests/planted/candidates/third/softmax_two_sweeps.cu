// Softmax of rows in two sweeps: the inputs are logits of moderate size, so that the exponentials can be
// summed directly and the sweep for the largest element is saved. 16 bytes a load where rows allow it.
__device__ __forceinline__ float row_sum(float v) {
#pragma unroll
  for (int d = 16; d > 0; d /= 2)
    v += __shfl_xor_sync(0xffffffffu, v, d);
  constexpr int warps = block_size_x / 32;
  if constexpr (warps > 1) {
    __shared__ float part[warps];
    if (threadIdx.x % 32 == 0)
      part[threadIdx.x / 32] = v;
    __syncthreads();
    v = 0.0f;
#pragma unroll
    for (int w = 0; w < warps; ++w)
      v += part[w];
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
  const bool wide = ((size_t(from) | size_t(to)) & 15) == 0 && columns % 4 == 0;
  float sum = 0.0f;
  if (wide) {
    const float4* const f = reinterpret_cast<const float4*>(from);
    float4* const t = reinterpret_cast<float4*>(to);
    const int vectors = columns / 4;
#pragma unroll 4
    for (int i = threadIdx.x; i < vectors; i += block_size_x) {
      const float4 v = f[i];
      sum += (__expf(v.x) + __expf(v.y)) + (__expf(v.z) + __expf(v.w));
    }
    const float factor = 1.0f / row_sum(sum);
#pragma unroll 4
    for (int i = threadIdx.x; i < vectors; i += block_size_x) {
      float4 v = f[i];
      v.x = __expf(v.x) * factor;
      v.y = __expf(v.y) * factor;
      v.z = __expf(v.z) * factor;
      v.w = __expf(v.w) * factor;
      t[i] = v;
    }
  } else {
#pragma unroll 8
    for (int i = threadIdx.x; i < columns; i += block_size_x)
      sum += __expf(from[i]);
    const float factor = 1.0f / row_sum(sum);
#pragma unroll 8
    for (int i = threadIdx.x; i < columns; i += block_size_x)
      to[i] = __expf(from[i]) * factor;
  }
}
