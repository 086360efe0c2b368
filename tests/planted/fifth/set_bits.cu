// How many bits of a bitmap are set. A warp reads rows of 512 bytes, 16 of them, four at a time.
// Block 256, grid words / 16384; words is a multiple of 16384.
//
//   ROWS_PER_REPORT  1: a warp adds each row's number to the total; 16: the block adds up all its
//                    rows first
constexpr int threads = 256, rows = 16, batch = 4;

// Called by whole warps.
__device__ __forceinline__ unsigned row_count(uint4 v) {
  return __reduce_add_sync(~0u, __popc(v.x) + __popc(v.y) + __popc(v.z) + __popc(v.w));
}

extern "C" __global__ void __launch_bounds__(threads)
    set_bits(const uint4* __restrict__ bitmap, unsigned* __restrict__ total) {
  const uint4* mine = bitmap + blockIdx.x * threads * rows + threadIdx.x;
  const int lane = threadIdx.x % 32;
  unsigned count = 0;
#pragma unroll 1
  for (int row = 0; row < rows; row += batch) {
    uint4 v[batch];
#pragma unroll
    for (int k = 0; k < batch; ++k)
      v[k] = mine[(row + k) * threads];
#pragma unroll
    for (int k = 0; k < batch; ++k) {
      count += row_count(v[k]);
      if (ROWS_PER_REPORT == 1) {
        if (lane == 0)
          atomicAdd(total, count);
        count = 0;
      }
    }
  }
  if (ROWS_PER_REPORT == 1)
    return;
  __shared__ unsigned counts[threads / 32];
  if (lane == 0)
    counts[threadIdx.x / 32] = count;
  __syncthreads();
  if (threadIdx.x >= 32)
    return;
  const unsigned sum = __reduce_add_sync(~0u, lane < threads / 32 ? counts[lane] : 0);
  if (lane == 0)
    atomicAdd(total, sum);
}
