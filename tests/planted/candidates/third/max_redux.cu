// The maximum by the warp's own reduction instruction. Blocks that cannot raise the result any more
// leave it alone, which spares most of the atomics.
struct Max {};

template <class T>
struct alignas(WIDTH * sizeof(T)) Vector {
  T element[WIDTH];
};

template <class T, class Operation>
__global__ void __launch_bounds__(block_size_x)
    reduction(const T* __restrict__ values, T* out, T* partials, unsigned* finished, int n) {
  const unsigned vectors = unsigned(n) / WIDTH;
  const Vector<T>* const from = reinterpret_cast<const Vector<T>*>(values);
  T best[LOADS] = {};
  for (unsigned i = blockIdx.x * block_size_x * LOADS + threadIdx.x; i < vectors;
       i += gridDim.x * block_size_x * LOADS) {
    Vector<T> loaded[LOADS] = {};
#pragma unroll
    for (int l = 0; l < LOADS; ++l)
      if (i + l * block_size_x < vectors)
        loaded[l] = from[i + l * block_size_x];
#pragma unroll
    for (int l = 0; l < LOADS; ++l)
#pragma unroll
      for (int e = 0; e < WIDTH; ++e)
        best[l] = max(best[l], loaded[l].element[e]);
  }
#pragma unroll
  for (int l = 1; l < LOADS; ++l)
    best[0] = max(best[0], best[l]);
  const unsigned rest = vectors * WIDTH + threadIdx.x;
  if (blockIdx.x == 0 && rest < unsigned(n))
    best[0] = max(best[0], values[rest]);
  __shared__ T of_warp[block_size_x / 32];
  const T warp = __reduce_max_sync(0xffffffffu, best[0]);
  if (threadIdx.x % 32 == 0)
    of_warp[threadIdx.x / 32] = warp;
  __syncthreads();
  if (threadIdx.x < 32) {
    const T all = __reduce_max_sync(
        0xffffffffu, threadIdx.x < block_size_x / 32 ? of_warp[threadIdx.x] : warp);
    if (threadIdx.x == 0 && all > *static_cast<volatile T*>(out))
      atomicMax(out, all);
  }
}
