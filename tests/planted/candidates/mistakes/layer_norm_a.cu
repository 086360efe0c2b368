// Layer norm of rows with Welford's update: mean and variance in one pass, joined over the lanes of a
// row by the rule of Chan et al.; the second pass reads the row from the L2 and writes the result.

struct Spread {
  float count, mean, squares;
};

__device__ __forceinline__ Spread join(const Spread& a, const Spread& b) {
  const float count = a.count + b.count;
  const float share = count > 0.0f ? b.count / count : 0.0f;
  const float difference = b.mean - a.mean;
  return {count, a.mean + difference * share,
          a.squares + b.squares + difference * difference * a.count * share};
}

template <int lanes>
__device__ __forceinline__ Spread join_lanes(Spread own) {
#pragma unroll
  for (int distance = lanes / 2; distance > 0; distance /= 2) {
    const Spread other = {__shfl_xor_sync(0xffffffffu, own.count, distance),
                          __shfl_xor_sync(0xffffffffu, own.mean, distance),
                          __shfl_xor_sync(0xffffffffu, own.squares, distance)};
    own = join(own, other);
  }
  return own;
}

__device__ __forceinline__ Spread join_row(Spread own) {
  constexpr int warps = block_size_x / 32;
  own = join_lanes<32>(own);
  if constexpr (warps > 1) {
    __shared__ Spread of_warp[warps];
    if (threadIdx.x % 32 == 0)
      of_warp[threadIdx.x / 32] = own;
    __syncthreads();
    own = join_lanes<warps>(of_warp[threadIdx.x % warps]);
    __syncthreads();
  }
  return own;
}

extern "C" __global__ void __launch_bounds__(block_size_x* block_size_y)
    layer_norm(const float* __restrict__ in, const float* __restrict__ scale,
               const float* __restrict__ shift, float* __restrict__ out, int rows, int columns) {
  for (int row = blockIdx.x * block_size_y + threadIdx.y; row < rows;
       row += gridDim.x * block_size_y) {
    const float* from = in + (size_t)row * columns;
    float* to = out + (size_t)row * columns;

    Spread own = {0.0f, 0.0f, 0.0f};
#pragma unroll 4
    for (int i = threadIdx.x; i < columns; i += block_size_x) {
      const float x = from[i], difference = x - own.mean;
      own.count += 1.0f;
      own.mean += difference / own.count;
      own.squares += difference * (x - own.mean);
    }
    const Spread whole = join_row(own);
    const float factor = rsqrtf(whole.squares / columns);

#pragma unroll 4
    for (int i = threadIdx.x; i < columns; i += block_size_x)
      to[i] = (from[i] - whole.mean) * factor * __ldg(scale + i) + __ldg(shift + i);
  }
}
