// gridsmith: SCAN=shuffle PASSES=1 ITEMS=16 ACCESS=rows NUMBER=by_ticket WINDOW=32 block_size_x=256 blocks_per_sm=0
// Inclusive scan in one pass by decoupled look-back. A lane holds four neighbours of each of four
// rows of its warp. The last block sets the ticket counter back for the next launch.
constexpr int rows_of_warp = ITEMS / 4;
constexpr int tile = block_size_x * ITEMS;
constexpr unsigned every = 0xffffffffu;

__device__ __forceinline__ unsigned scan_warp(unsigned sum) {
#pragma unroll
  for (int distance = 1; distance < 32; distance *= 2) {
    const unsigned other = __shfl_up_sync(every, sum, distance);
    if (threadIdx.x % 32 >= distance)
      sum += other;
  }
  return sum;
}

template <class T>
__global__ void __launch_bounds__(block_size_x)
    scan(const T* __restrict__ values, T* __restrict__ out, unsigned long long* states,
         unsigned long long* tickets, int n) {
  __shared__ unsigned number_of_block, before_block, of_warp[32];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  if (threadIdx.x == 0) {
    const unsigned number = unsigned(atomicAdd(tickets, 1ull));
    if (number == gridDim.x - 1)
      *tickets = 0; // nobody takes another in this launch
    number_of_block = number;
  }
  __syncthreads();
  const unsigned number = number_of_block, first = number * tile + warp * (32 * ITEMS) + lane * 4;
  unsigned item[ITEMS];
  if (first + (rows_of_warp - 1) * 128 + 3 < unsigned(n)) {
#pragma unroll
    for (int r = 0; r < rows_of_warp; ++r) {
      const uint4 v = *reinterpret_cast<const uint4*>(values + first + r * 128);
      item[4 * r] = v.x, item[4 * r + 1] = v.y, item[4 * r + 2] = v.z, item[4 * r + 3] = v.w;
    }
  } else {
#pragma unroll
    for (int j = 0; j < ITEMS; ++j) {
      const unsigned at = first + j / 4 * 128 + j % 4;
      item[j] = at < unsigned(n) ? values[at] : 0u;
    }
  }
  unsigned before = 0;
#pragma unroll
  for (int r = 0; r < rows_of_warp; ++r) {
    item[4 * r + 1] += item[4 * r];
    item[4 * r + 2] += item[4 * r + 1];
    item[4 * r + 3] += item[4 * r + 2];
    const unsigned sum = scan_warp(item[4 * r + 3]), left = sum - item[4 * r + 3];
#pragma unroll
    for (int e = 0; e < 4; ++e)
      item[4 * r + e] += before + left;
    before += __shfl_sync(every, sum, 31);
  }
  if (lane == 0)
    of_warp[warp] = before;
  __syncthreads();
  const unsigned to_here = scan_warp(lane < block_size_x / 32 ? of_warp[lane] : 0u);
  const unsigned total = __shfl_sync(every, to_here, 31);
  const unsigned left = warp > 0 ? __shfl_sync(every, to_here, warp - 1) : 0u;
  if (warp == 0) {
    volatile unsigned long long* const told = states;
    if (lane == 0)
      told[number] = (number > 0 ? 1ull : 2ull) << 32 | total;
    unsigned sum = 0;
    for (int nearest = int(number) - 1; nearest >= 0; nearest -= 32) {
      const int other = nearest - lane;
      unsigned long long seen = 2ull << 32;
      if (other >= 0)
        do
          seen = told[other];
        while (seen >> 32 == 0);
      const unsigned ends = __ballot_sync(every, seen >> 32 == 2);
      sum += __reduce_add_sync(every, ends == 0 || lane < __ffs(ends) ? unsigned(seen) : 0u);
      if (ends != 0)
        break;
    }
    if (lane == 0) {
      if (number > 0)
        told[number] = 2ull << 32 | (sum + total);
      before_block = sum;
    }
  }
  __syncthreads();
  const unsigned offset = before_block + left;
  if (first + (rows_of_warp - 1) * 128 + 3 < unsigned(n)) {
#pragma unroll
    for (int r = 0; r < rows_of_warp; ++r)
      *reinterpret_cast<uint4*>(out + first + r * 128) =
          make_uint4(item[4 * r] + offset, item[4 * r + 1] + offset, item[4 * r + 2] + offset,
                     item[4 * r + 3] + offset);
  } else {
#pragma unroll
    for (int j = 0; j < ITEMS; ++j) {
      const unsigned at = first + j / 4 * 128 + j % 4;
      if (at < unsigned(n))
        out[at] = item[j] + offset;
    }
  }
}
