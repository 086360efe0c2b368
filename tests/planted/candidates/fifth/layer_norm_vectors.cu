// SPDX-License-Identifier: Apache-2.0
// Layer norm with 16-byte accesses wherever the row length is a multiple of four, and the two sums
// taken about the row's first element, so that one pass is enough and nothing cancels. Scalar code
// for other lengths.
constexpr int row_warps = block_size_x / 32;

__device__ __forceinline__ float2 over_row(float2 v) {
#pragma unroll
  for (int d = 16; d > 0; d >>= 1) {
    v.x += __shfl_xor_sync(0xffffffffu, v.x, d);
    v.y += __shfl_xor_sync(0xffffffffu, v.y, d);
  }
  if constexpr (row_warps > 1) {
    __shared__ float2 part[row_warps];
    if ((threadIdx.x & 31) == 0)
      part[threadIdx.x >> 5] = v;
    __syncthreads();
    v = part[threadIdx.x & (row_warps - 1)];
#pragma unroll
    for (int d = row_warps / 2; d > 0; d >>= 1) {
      v.x += __shfl_xor_sync(0xffffffffu, v.x, d);
      v.y += __shfl_xor_sync(0xffffffffu, v.y, d);
    }
    __syncthreads();
  }
  return v;
}

__device__ __forceinline__ void take(float2& s, float value, float pivot) {
  const float d = value - pivot;
  s.x += d;
  s.y += d * d;
}

extern "C" __global__ void __launch_bounds__(block_size_x* block_size_y)
    layer_norm(const float* __restrict__ in, const float* __restrict__ scale,
               const float* __restrict__ shift, float* __restrict__ out, int rows, int columns) {
  for (int y = blockIdx.x * block_size_y + threadIdx.y; y < rows; y += gridDim.x * block_size_y) {
    const float* const from = in + size_t(y) * columns;
    float* const to = out + size_t(y) * columns;
    const float pivot = from[0];
    float2 s = make_float2(0.0f, 0.0f);
    const bool vectors = columns % 4 == 0;
    const int quarter = columns / 4;
    if (vectors) {
#pragma unroll 4
      for (int i = threadIdx.x; i < quarter; i += block_size_x) {
        const float4 v = reinterpret_cast<const float4*>(from)[i];
        take(s, v.x, pivot);
        take(s, v.y, pivot);
        take(s, v.z, pivot);
        take(s, v.w, pivot);
      }
    } else {
#pragma unroll 4
      for (int i = threadIdx.x; i < columns; i += block_size_x)
        take(s, from[i], pivot);
    }
    s = over_row(s);
    const float off = s.x / columns, mean = pivot + off;
    const float factor = rsqrtf(fmaxf(s.y / columns - off * off, 0.0f) + 1e-5f);
    if (vectors) {
#pragma unroll 4
      for (int i = threadIdx.x; i < quarter; i += block_size_x) {
        const float4 v = reinterpret_cast<const float4*>(from)[i];
        const float4 a = reinterpret_cast<const float4*>(scale)[i];
        const float4 b = reinterpret_cast<const float4*>(shift)[i];
        reinterpret_cast<float4*>(to)[i] =
            make_float4((v.x - mean) * factor * a.x + b.x, (v.y - mean) * factor * a.y + b.y,
                        (v.z - mean) * factor * a.z + b.z, (v.w - mean) * factor * a.w + b.w);
      }
    } else {
#pragma unroll 4
      for (int i = threadIdx.x; i < columns; i += block_size_x)
        to[i] = (from[i] - mean) * factor * scale[i] + shift[i];
    }
  }
}
