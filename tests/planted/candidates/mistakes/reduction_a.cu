// Sum of n values. Each block has one contiguous part of the input, so that its loads walk through
// whole DRAM pages; the parts differ by one element at most. Warps join by shuffles, blocks by one
// atomic each.
struct Sum {};
struct Max {};

template <class T>
__device__ __forceinline__ T sum_of_warp(T value) {
#pragma unroll
  for (int distance = 16; distance > 0; distance /= 2)
    value += __shfl_down_sync(0xffffffffu, value, distance);
  return value;
}

template <class T, class Operation>
__global__ void __launch_bounds__(block_size_x)
    reduction(const T* __restrict__ values, T* out, T* partials, unsigned* finished, int n) {
  constexpr int warps = block_size_x / 32;
  __shared__ T of_warp[warps];
  const unsigned begin = blockIdx.x * n / gridDim.x;
  const unsigned end = (blockIdx.x + 1) * n / gridDim.x;

  T sum = T(0);
#pragma unroll 8
  for (unsigned i = begin + threadIdx.x; i < end; i += block_size_x)
    sum += values[i];

  sum = sum_of_warp(sum);
  const int lane = threadIdx.x % 32;
  if (lane == 0)
    of_warp[threadIdx.x / 32] = sum;
  __syncthreads();
  if (threadIdx.x < 32) {
    sum = sum_of_warp(lane < warps ? of_warp[lane] : T(0));
    if (lane == 0)
      atomicAdd(out, sum);
  }
}
