// gridsmith: TREE=shuffle FINISH=atomic WIDTH=4 LOADS=1 block_size_x=512 blocks_per_sm=2
// Maximum of ints: some blocks per SM stride over the values with eight loads under way, warps join
// by redux, and a block adds one atomic.
struct Max {};

template <class T, class Operation>
__global__ void __launch_bounds__(block_size_x)
    reduction(const T* __restrict__ values, T* out, T*, unsigned*, int n) {
  const unsigned vectors = unsigned(n) / 4, step = gridDim.x * block_size_x;
  const int4* const from = reinterpret_cast<const int4*>(values);
  int largest = 0;
  unsigned i = blockIdx.x * block_size_x + threadIdx.x;
  for (; i + 7 * step < vectors; i += 8 * step) {
    int4 v[8];
#pragma unroll
    for (int l = 0; l < 8; ++l)
      v[l] = __ldcs(from + i + l * step);
#pragma unroll
    for (int l = 0; l < 8; ++l)
      largest = max(largest, max(max(v[l].x, v[l].y), max(v[l].z, v[l].w)));
  }
  for (; i < vectors; i += step) {
    const int4 v = __ldcs(from + i);
    largest = max(largest, max(max(v.x, v.y), max(v.z, v.w)));
  }
  const unsigned rest = vectors * 4 + threadIdx.x;
  if (blockIdx.x == 0 && rest < unsigned(n))
    largest = max(largest, values[rest]);
  __shared__ int of_warp[block_size_x / 32];
  largest = __reduce_max_sync(0xffffffffu, largest);
  if (threadIdx.x % 32 == 0)
    of_warp[threadIdx.x / 32] = largest;
  __syncthreads();
  if (threadIdx.x < 32) {
    largest = threadIdx.x < block_size_x / 32 ? of_warp[threadIdx.x] : 0;
    largest = __reduce_max_sync(0xffffffffu, largest);
    if (threadIdx.x == 0)
      atomicMax(out, largest);
  }
}
