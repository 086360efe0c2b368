// Inclusive scan in one pass with decoupled look-back. A tile's state is one word of eight bytes that
// is written at once: a flag (1: the tile's own sum, 2: the sum of all up to it) above the value. The
// states have a home of their own, so that nothing has to be prepared on the host. Tiles are numbered
// by a ticket that wraps round at the end of the grid.
// gridsmith: SCAN=shuffle PASSES=1 ITEMS=8 ACCESS=striped

constexpr unsigned most_tiles = 1u << 19;
__device__ unsigned long long tile_states[most_tiles];

__device__ __forceinline__ unsigned long long state_of(unsigned flag, unsigned value) {
  return (unsigned long long)flag << 32 | value;
}

__device__ __forceinline__ unsigned scan_of_warp(unsigned value) {
  const unsigned lane = threadIdx.x % 32;
#pragma unroll
  for (unsigned distance = 1; distance < 32; distance *= 2) {
    const unsigned other = __shfl_up_sync(0xffffffffu, value, distance);
    if (lane >= distance)
      value += other;
  }
  return value;
}

// Called by one warp: the sum of all tiles before this one.
__device__ __forceinline__ unsigned look_back(unsigned tile) {
  const int lane = threadIdx.x % 32;
  unsigned before = 0;
  for (int newest = int(tile) - 1; newest >= 0; newest -= 32) {
    const int other = newest - lane;
    unsigned long long state = state_of(2, 0); // before the first tile
    if (other >= 0)
      do
        state = *(volatile unsigned long long*)(tile_states + other);
      while (state >> 32 == 0);
    const unsigned whole = __ballot_sync(0xffffffffu, state >> 32 == 2);
    const int nearest = whole ? __ffs(whole) - 1 : 31;
    const unsigned part = lane <= nearest ? unsigned(state) : 0u;
    before += __reduce_add_sync(0xffffffffu, part);
    if (whole)
      break;
  }
  return before;
}

template <class T>
__global__ void __launch_bounds__(block_size_x)
    scan(const T* __restrict__ values, T* __restrict__ out, unsigned long long* states,
         unsigned long long* tickets, int n) {
  constexpr int warps = block_size_x / 32;
  constexpr unsigned length = block_size_x * ITEMS;
  __shared__ unsigned turned[length + length / 32];
  __shared__ unsigned of_warp[warps];
  __shared__ unsigned number, before_tile;
  const unsigned t = threadIdx.x;

  if (t == 0)
    number = atomicInc(reinterpret_cast<unsigned*>(tickets), gridDim.x - 1);
  __syncthreads();
  const unsigned tile = number, first = tile * length;

#pragma unroll
  for (int j = 0; j < ITEMS; ++j) {
    const unsigned at = j * block_size_x + t;
    turned[at + at / 32] = first + at < unsigned(n) ? unsigned(values[first + at]) : 0u;
  }
  __syncthreads();
  unsigned item[ITEMS];
#pragma unroll
  for (int j = 0; j < ITEMS; ++j) {
    const unsigned at = t * ITEMS + j;
    item[j] = turned[at + at / 32] + (j > 0 ? item[j - 1] : 0u);
  }

  const unsigned to_here = scan_of_warp(item[ITEMS - 1]);
  if (t % 32 == 31)
    of_warp[t / 32] = to_here;
  __syncthreads();
  unsigned before = to_here - item[ITEMS - 1], total = 0;
#pragma unroll
  for (int w = 0; w < warps; ++w) {
    if (w < int(t / 32))
      before += of_warp[w];
    total += of_warp[w];
  }

  if (t < 32) {
    volatile unsigned long long* const own = tile_states + tile;
    if (t == 0 && tile > 0)
      *own = state_of(1, total);
    __syncwarp();
    const unsigned sum = look_back(tile);
    if (t == 0) {
      *own = state_of(2, sum + total);
      before_tile = sum;
    }
  }
  __syncthreads();
  before += before_tile;

#pragma unroll
  for (int j = 0; j < ITEMS; ++j) {
    const unsigned at = t * ITEMS + j;
    turned[at + at / 32] = item[j] + before;
  }
  __syncthreads();
#pragma unroll
  for (int j = 0; j < ITEMS; ++j) {
    const unsigned at = j * block_size_x + t;
    if (first + at < unsigned(n))
      out[first + at] = T(turned[at + at / 32]);
  }
}
