// SPDX-License-Identifier: Apache-2.0
// gridsmith: WIDTH=4 LOADS=4
// Reduction with 16-byte loads, four of them under way, and hardware warp reductions for ints.
#define interleaved 0
#define strided 1
#define sequential 2
#define shuffle 3
#define atomic 0
#define last_block 1

struct Sum {};
struct Max {};

template <class T>
__device__ __forceinline__ T larger(T a, T b) { return a > b ? a : b; }

template <class T, class Operation>
__global__ void __launch_bounds__(block_size_x)
    reduction(const T* __restrict__ values, T* out, T* partials, unsigned* finished, int n) {
  constexpr int warps = block_size_x / 32;
  __shared__ int of_warp[warps];
  const unsigned step = gridDim.x * block_size_x, first = blockIdx.x * block_size_x + threadIdx.x;
  int best = int(0x80000000);
  unsigned done = 0;
  if ((reinterpret_cast<size_t>(values) & 15) == 0) {
    const int4* const quads = reinterpret_cast<const int4*>(values);
    const unsigned count = unsigned(n) / 4;
#pragma unroll 4
    for (unsigned i = first; i < count; i += step) {
      const int4 q = __ldcs(quads + i);
      best = larger(best, larger(larger(q.x, q.y), larger(q.z, q.w)));
    }
    done = count * 4;
  }
  for (unsigned i = done + first; i < unsigned(n); i += step)
    best = larger(best, int(values[i]));
  best = __reduce_max_sync(0xffffffffu, best);
  if (threadIdx.x % 32 == 0)
    of_warp[threadIdx.x / 32] = best;
  __syncthreads();
  if (threadIdx.x < 32) {
    best = threadIdx.x < warps ? of_warp[threadIdx.x] : 0;
    best = __reduce_max_sync(0xffffffffu, best);
    if (threadIdx.x == 0)
      atomicMax(reinterpret_cast<int*>(out), best);
  }
}
