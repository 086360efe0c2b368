// SPDX-License-Identifier: Apache-2.0
// gridsmith: ITEMS=16
// One pass with look-back. A state is 2 for a prefix, 1 for a tile's own sum, above 32 bits of value.
#define hillis_steele 0
#define blelloch 1
#define blelloch_padded 2
#define shuffle 3
#define blocked 0
#define vectors 1
#define striped 2
#define warps 3
#define rows 4
#define by_ticket 0
#define by_index 1

constexpr int tile_items = block_size_x * ITEMS, block_warps = block_size_x / 32;

__device__ __forceinline__ unsigned inclusive(unsigned v) {
#pragma unroll
  for (int d = 1; d < 32; d <<= 1) {
    const unsigned other = __shfl_up_sync(0xffffffffu, v, d);
    if ((threadIdx.x & 31) >= d)
      v += other;
  }
  return v;
}

template <class T>
__global__ void __launch_bounds__(block_size_x)
    scan(const T* __restrict__ values, T* __restrict__ out, unsigned long long* states,
         unsigned long long* tickets, int n) {
  __shared__ unsigned kept[tile_items + tile_items / 32];
  __shared__ unsigned of_warp[block_warps], number, before;
  if (threadIdx.x == 0)
    number = unsigned(atomicAdd(tickets, 1ull) % gridDim.x);
  __syncthreads();
  const unsigned tile = number, start = tile * tile_items;
#pragma unroll
  for (int k = 0; k < ITEMS; ++k) {
    const unsigned i = k * block_size_x + threadIdx.x;
    kept[i + i / 32] = start + i < unsigned(n) ? unsigned(values[start + i]) : 0u;
  }
  __syncthreads();
  unsigned own[ITEMS], sum = 0;
#pragma unroll
  for (int k = 0; k < ITEMS; ++k) {
    const unsigned i = threadIdx.x * ITEMS + k;
    own[k] = sum += kept[i + i / 32];
  }
  const unsigned scanned = inclusive(sum);
  if (threadIdx.x % 32 == 31)
    of_warp[threadIdx.x / 32] = scanned;
  __syncthreads();
  if (threadIdx.x < 32) {
    const unsigned sums = inclusive(threadIdx.x < block_warps ? of_warp[threadIdx.x] : 0u);
    const unsigned total = __shfl_sync(0xffffffffu, sums, block_warps - 1);
    if (threadIdx.x < block_warps)
      of_warp[threadIdx.x] = sums;
    volatile unsigned long long* const state = states;
    if (threadIdx.x == 0 && tile > 0)
      atomicExch(states + tile, 1ull << 32 | total);
    unsigned prefix = 0;
    for (int last = int(tile) - 1; last >= 0; last -= 32) {
      const int at = last - int(threadIdx.x);
      unsigned long long word = 2ull << 32;
      do
        if (at >= 0)
          word = state[at];
      while (__any_sync(0xffffffffu, word >> 32 == 0));
      const unsigned ends = __ballot_sync(0xffffffffu, word >> 32 == 2);
      const int used = ends ? __ffs(ends) : 32;
      prefix += __reduce_add_sync(0xffffffffu, int(threadIdx.x) < used ? unsigned(word) : 0u);
      if (ends)
        break;
    }
    if (threadIdx.x == 0) {
      atomicExch(states + tile, 2ull << 32 | (prefix + total));
      before = prefix;
    }
  }
  __syncthreads();
  const unsigned shift =
      before + (threadIdx.x >= 32 ? of_warp[threadIdx.x / 32 - 1] : 0u) + scanned - sum;
#pragma unroll
  for (int k = 0; k < ITEMS; ++k) {
    const unsigned i = threadIdx.x * ITEMS + k;
    kept[i + i / 32] = own[k] + shift;
  }
  __syncthreads();
#pragma unroll
  for (int k = 0; k < ITEMS; ++k) {
    const unsigned i = k * block_size_x + threadIdx.x;
    if (start + i < unsigned(n))
      out[start + i] = T(kept[i + i / 32]);
  }
}
