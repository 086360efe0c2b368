// Sum of n values in one launch: blocks leave their sums in partials, and the block that arrives last
// joins them in a fixed order. Loads are vectors of 16 bytes, two of them under way per thread.
// gridsmith: FINISH=last_block WIDTH=4 LOADS=2
struct Sum {};
struct Max {};

__device__ unsigned arrived = 0;

template <class T>
__device__ __forceinline__ T sum_of_block(T value) {
  constexpr int warps = block_size_x / 32;
  __shared__ T of_warp[warps];
  const int lane = threadIdx.x % 32;
#pragma unroll
  for (int distance = 16; distance > 0; distance /= 2)
    value += __shfl_down_sync(0xffffffffu, value, distance);
  __syncthreads();
  if (lane == 0)
    of_warp[threadIdx.x / 32] = value;
  __syncthreads();
  value = lane < warps ? of_warp[lane] : T(0);
#pragma unroll
  for (int distance = 16; distance > 0; distance /= 2)
    value += __shfl_down_sync(0xffffffffu, value, distance);
  return value;
}

template <class T, class Operation>
__global__ void __launch_bounds__(block_size_x)
    reduction(const T* __restrict__ values, T* out, T* partials, unsigned* finished, int n) {
  __shared__ bool last;
  const unsigned quads = unsigned(n) / 4, step = gridDim.x * block_size_x;
  const float4* from = reinterpret_cast<const float4*>(values);

  T sum = T(0);
  for (unsigned i = blockIdx.x * block_size_x + threadIdx.x; i < quads; i += 2 * step) {
    const float4 a = from[i];
    float4 b = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
    if (i + step < quads)
      b = from[i + step];
    sum += (a.x + b.x) + (a.y + b.y) + ((a.z + b.z) + (a.w + b.w));
  }
  if (blockIdx.x == 0 && quads * 4 + threadIdx.x < unsigned(n))
    sum += values[quads * 4 + threadIdx.x];

  sum = sum_of_block(sum);
  if (threadIdx.x == 0) {
    partials[blockIdx.x] = sum;
    __threadfence();
    last = atomicAdd(&arrived, 1u) == gridDim.x - 1;
    __threadfence();
  }
  __syncthreads();
  if (!last)
    return;

  T whole = T(0);
  for (unsigned i = threadIdx.x; i < gridDim.x; i += block_size_x)
    whole += __ldcg(partials + i);
  whole = sum_of_block(whole);
  if (threadIdx.x == 0)
    *out = whole;
}
