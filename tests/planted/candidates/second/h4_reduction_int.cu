// gridsmith: TREE=shuffle FINISH=atomic WIDTH=4 LOADS=1 block_size_x=512 blocks_per_sm=2
// Sum of ints, which wraps: some blocks per SM stride over the values with eight loads of 16 bytes
// under way, warps join by redux, and a block adds one atomic.
struct Sum {};

template <class T, class Operation>
__global__ void __launch_bounds__(block_size_x)
    reduction(const T* __restrict__ values, T* out, T*, unsigned*, int n) {
  const unsigned vectors = unsigned(n) / 4, step = gridDim.x * block_size_x;
  const uint4* const from = reinterpret_cast<const uint4*>(values);
  unsigned sum = 0;
  for (unsigned i = blockIdx.x * block_size_x + threadIdx.x; i < vectors; i += 8 * step) {
    uint4 v[8];
#pragma unroll
    for (int l = 0; l < 8; ++l)
      v[l] = i + l * step < vectors ? from[i + l * step] : uint4{};
#pragma unroll
    for (int l = 0; l < 8; ++l)
      sum += v[l].x + v[l].y + v[l].z + v[l].w;
  }
  const unsigned rest = vectors * 4 + threadIdx.x;
  if (blockIdx.x == 0 && rest < unsigned(n))
    sum += values[rest];
  __shared__ unsigned of_warp[block_size_x / 32];
  sum = __reduce_add_sync(0xffffffffu, sum);
  if (threadIdx.x % 32 == 0)
    of_warp[threadIdx.x / 32] = sum;
  __syncthreads();
  if (threadIdx.x < 32) {
    sum = __reduce_add_sync(0xffffffffu,
                            threadIdx.x < block_size_x / 32 ? of_warp[threadIdx.x] : 0u);
    if (threadIdx.x == 0)
      atomicAdd(out, sum);
  }
}
