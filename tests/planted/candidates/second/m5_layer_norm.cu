// gridsmith: KEEP=in_memory STATISTICS=moments WIDTH=1 LOADS=1 block_size_x=256 block_size_y=1 blocks_per_sm=0
// Layer norm, a block for a row. Where 16 bytes fit, a row of up to 4096 is kept in registers; other
// rows are read twice. Two passes over the registers, moments about the first element elsewhere.
constexpr float epsilon = 1e-5f;

__device__ __forceinline__ float sum_of_block(float value) {
  __shared__ float of_warp[block_size_x / 32];
#pragma unroll
  for (int distance = 16; distance > 0; distance /= 2)
    value += __shfl_xor_sync(0xffffffffu, value, distance);
  __syncthreads();
  if (threadIdx.x % 32 == 0)
    of_warp[threadIdx.x / 32] = value;
  __syncthreads();
  value = 0.0f;
#pragma unroll
  for (int i = 0; i < block_size_x / 32; ++i)
    value += of_warp[i];
  return value;
}

extern "C" __global__ void __launch_bounds__(block_size_x)
    layer_norm(const float* __restrict__ in, const float* __restrict__ scale,
               const float* __restrict__ shift, float* __restrict__ out, int rows, int columns) {
  const float* const from = in + size_t(blockIdx.x) * columns;
  float* const to = out + size_t(blockIdx.x) * columns;
  const bool by_vectors =
      columns % 4 == 0 && ((size_t(in) | size_t(out) | size_t(scale) | size_t(shift)) & 15) == 0;
  if (by_vectors && columns <= 16 * block_size_x) {
    float4 kept[4];
    float sum = 0.0f;
#pragma unroll
    for (int l = 0; l < 4; ++l) {
      const int i = threadIdx.x + l * block_size_x;
      kept[l] = i < columns / 4 ? reinterpret_cast<const float4*>(from)[i] : float4{};
      sum += kept[l].x + kept[l].y + kept[l].z + kept[l].w;
    }
    const float mean = sum_of_block(sum) / columns;
    float squares = 0.0f;
#pragma unroll
    for (int l = 0; l < 4; ++l)
      if (int(threadIdx.x + l * block_size_x) < columns / 4) {
        kept[l].x -= mean, kept[l].y -= mean, kept[l].z -= mean, kept[l].w -= mean;
        squares += kept[l].x * kept[l].x + kept[l].y * kept[l].y + kept[l].z * kept[l].z +
                   kept[l].w * kept[l].w;
      }
    const float deviation = sqrtf(sum_of_block(squares) / columns);
    const float factor = 1.0f / (deviation + epsilon);
#pragma unroll
    for (int l = 0; l < 4; ++l)
      if (const int i = threadIdx.x + l * block_size_x; i < columns / 4) {
        const float4 a = reinterpret_cast<const float4*>(scale)[i];
        const float4 b = reinterpret_cast<const float4*>(shift)[i];
        reinterpret_cast<float4*>(to)[i] =
            make_float4(kept[l].x * factor * a.x + b.x, kept[l].y * factor * a.y + b.y,
                        kept[l].z * factor * a.z + b.z, kept[l].w * factor * a.w + b.w);
      }
    return;
  }
  const float pivot = from[0];
  float sum = 0.0f, squares = 0.0f;
  if (by_vectors) {
#pragma unroll 4
    for (int i = threadIdx.x; i < columns / 4; i += block_size_x) {
      const float4 v = reinterpret_cast<const float4*>(from)[i];
      const float p = v.x - pivot, q = v.y - pivot, r = v.z - pivot, s = v.w - pivot;
      sum += (p + q) + (r + s);
      squares += (p * p + q * q) + (r * r + s * s);
    }
  } else {
#pragma unroll 8
    for (int i = threadIdx.x; i < columns; i += block_size_x) {
      const float p = from[i] - pivot;
      sum += p;
      squares += p * p;
    }
  }
  const float off = sum_of_block(sum) / columns, mean = pivot + off;
  const float deviation = sqrtf(fmaxf(sum_of_block(squares) / columns - off * off, 0.0f));
  const float factor = 1.0f / (deviation + epsilon);
  if (by_vectors) {
#pragma unroll 4
    for (int i = threadIdx.x; i < columns / 4; i += block_size_x) {
      const float4 v = reinterpret_cast<const float4*>(from)[i];
      const float4 a = reinterpret_cast<const float4*>(scale)[i];
      const float4 b = reinterpret_cast<const float4*>(shift)[i];
      reinterpret_cast<float4*>(to)[i] =
          make_float4((v.x - mean) * factor * a.x + b.x, (v.y - mean) * factor * a.y + b.y,
                      (v.z - mean) * factor * a.z + b.z, (v.w - mean) * factor * a.w + b.w);
    }
  } else {
#pragma unroll 8
    for (int i = threadIdx.x; i < columns; i += block_size_x)
      to[i] = (from[i] - mean) * factor * scale[i] + shift[i];
  }
}
