// Maximum of n ints. Loads of 16 bytes; a warp joins its lanes with one redux instruction, and the
// warps of a block meet in one word of shared memory.
struct Sum {};
struct Max {};

template <class T, class Operation>
__global__ void __launch_bounds__(block_size_x)
    reduction(const T* __restrict__ values, T* out, T* partials, unsigned* finished, int n) {
  __shared__ int largest_of_block;
  if (threadIdx.x == 0)
    largest_of_block = 0;
  __syncthreads();

  const unsigned quads = unsigned(n) / 4, step = gridDim.x * block_size_x;
  const int4* from = reinterpret_cast<const int4*>(values);
  int largest = 0;
#pragma unroll 2
  for (unsigned i = blockIdx.x * block_size_x + threadIdx.x; i < quads; i += step) {
    const int4 v = from[i];
    largest = max(largest, max(max(v.x, v.y), max(v.z, v.w)));
  }
  if (blockIdx.x == 0 && quads * 4 + threadIdx.x < unsigned(n))
    largest = max(largest, values[quads * 4 + threadIdx.x]);

  largest = __reduce_max_sync(0xffffffffu, largest);
  if (threadIdx.x % 32 == 0)
    atomicMax(&largest_of_block, largest);
  __syncthreads();
  if (threadIdx.x == 0)
    atomicMax(out, largest_of_block);
}
