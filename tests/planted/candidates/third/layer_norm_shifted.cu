// Layer norm of rows: both statistics in one sweep, of differences from the row's first element, which
// cancels nothing, and 16 bytes a load where the rows allow it.
struct Two {
  float a, b;
};

__device__ __forceinline__ Two row_sums(Two v) {
#pragma unroll
  for (int d = 16; d > 0; d /= 2) {
    v.a += __shfl_xor_sync(0xffffffffu, v.a, d);
    v.b += __shfl_xor_sync(0xffffffffu, v.b, d);
  }
  constexpr int warps = block_size_x / 32;
  if constexpr (warps > 1) {
    __shared__ Two part[warps];
    if (threadIdx.x % 32 == 0)
      part[threadIdx.x / 32] = v;
    __syncthreads();
    v = {0.0f, 0.0f};
#pragma unroll
    for (int w = 0; w < warps; ++w) {
      v.a += part[w].a;
      v.b += part[w].b;
    }
    __syncthreads();
  }
  return v;
}

extern "C" __global__ void __launch_bounds__(block_size_x* block_size_y)
    layer_norm(const float* __restrict__ in, const float* __restrict__ scale,
               const float* __restrict__ shift, float* __restrict__ out, int rows, int columns) {
  const bool wide = columns % 4 == 0 &&
                    ((size_t(in) | size_t(out) | size_t(scale) | size_t(shift)) & 15) == 0;
  const float share = 1.0f / columns;
  for (int y = blockIdx.x * block_size_y + threadIdx.y; y < rows; y += gridDim.x * block_size_y) {
    const float* const from = in + size_t(y) * columns;
    float* const to = out + size_t(y) * columns;
    const float base = from[0];
    Two own = {0.0f, 0.0f};
    if (wide) {
      const float4* const f = reinterpret_cast<const float4*>(from);
#pragma unroll 4
      for (int i = threadIdx.x; i < columns / 4; i += block_size_x) {
        const float4 v = f[i];
        const float p = v.x - base, q = v.y - base, r = v.z - base, s = v.w - base;
        own.a += (p + q) + (r + s);
        own.b += (p * p + q * q) + (r * r + s * s);
      }
    } else {
#pragma unroll 8
      for (int i = threadIdx.x; i < columns; i += block_size_x) {
        const float p = from[i] - base;
        own.a += p;
        own.b += p * p;
      }
    }
    own = row_sums(own);
    const float off = own.a * share, mean = base + off;
    const float factor = rsqrtf(fmaxf(own.b * share - off * off, 0.0f));
    if (wide) {
      const float4* const f = reinterpret_cast<const float4*>(from);
      const float4* const g = reinterpret_cast<const float4*>(scale);
      const float4* const h = reinterpret_cast<const float4*>(shift);
#pragma unroll 4
      for (int i = threadIdx.x; i < columns / 4; i += block_size_x) {
        float4 v = f[i];
        const float4 s = g[i], t = h[i];
        v.x = (v.x - mean) * factor * s.x + t.x;
        v.y = (v.y - mean) * factor * s.y + t.y;
        v.z = (v.z - mean) * factor * s.z + t.z;
        v.w = (v.w - mean) * factor * s.w + t.w;
        reinterpret_cast<float4*>(to)[i] = v;
      }
    } else {
#pragma unroll 8
      for (int i = threadIdx.x; i < columns; i += block_size_x)
        to[i] = (from[i] - mean) * factor * scale[i] + shift[i];
    }
  }
}
