// Histogram of n bytes as the catalogue's histogram, out[b] += how often byte b occurs, with
// counters of which a block has several sets that lie side by side.
//
// What it teaches: atomics of a warp on one address take turns, and so do those on addresses of one
// bank (l1tex__data_pipe_lsu_wavefronts_mem_shared_op_atom.sum /
// smsp__inst_executed_op_shared_atom.sum). With COPIES counters for each byte, next to each other,
// lanes that count the same byte count in different banks, and with 32 no two lanes ever meet,
// whatever the data: uniform (histogram_replicated.json), skewed (histogram_replicated_skewed.json)
// and constant (histogram_replicated_constant.json) take the same time. The price is shared memory,
// so fewer blocks per SM (sm__warps_active.avg.pct_of_peak_sustained_active), and sums to add up at
// the end of each block, so that blocks should be few.
//
//   COPIES  sets of 256 counters; lane l counts in set l % COPIES
//   WIDTH   bytes of one load; the last n % WIDTH are taken one by one
//   LOADS   loads of a thread that are under way together
//   RUNS    1: bytes of a load that are all the same are counted at once
//
// Right for any grid and any block of whole warps, which are left to Gridsmith (block_size_x,
// blocks_per_sm). Grid ceil(n / (block_size_x * WIDTH * LOADS)). Any n < 2^31 - 2^16.
#define TILE_WORDS (block_size_x * LOADS)

struct alignas(WIDTH) Word {
  unsigned part[WIDTH / 4]; // four bytes each
};

__device__ __forceinline__ bool all_same(const Word& word) {
  bool same = word.part[0] == (word.part[0] & 255) * 0x01010101u;
#pragma unroll
  for (int p = 1; p < WIDTH / 4; ++p)
    same = same && word.part[p] == word.part[0];
  return same;
}

// counters: of this thread's set.
__device__ __forceinline__ void count(unsigned* counters, const Word& word) {
  if (RUNS && all_same(word)) {
    atomicAdd(counters + (word.part[0] & 255) * COPIES, unsigned(WIDTH));
    return;
  }
#pragma unroll
  for (int p = 0; p < WIDTH / 4; ++p)
#pragma unroll
    for (int b = 0; b < 4; ++b)
      atomicAdd(counters + (word.part[p] >> 8 * b & 255) * COPIES, 1u);
}

__device__ __forceinline__ void count_all(unsigned* counters,
                                          const unsigned char* __restrict__ data, unsigned n) {
  const unsigned words = n / WIDTH;
  const Word* const from = reinterpret_cast<const Word*>(data);
  for (unsigned i = blockIdx.x * TILE_WORDS + threadIdx.x; i < words; i += gridDim.x * TILE_WORDS) {
    Word word[LOADS];
#pragma unroll
    for (int l = 0; l < LOADS; ++l)
      if (i + l * block_size_x < words)
        word[l] = from[i + l * block_size_x];
#pragma unroll
    for (int l = 0; l < LOADS; ++l)
      if (i + l * block_size_x < words)
        count(counters, word[l]);
  }
  const unsigned rest = words * WIDTH + threadIdx.x; // fewer than a warp
  if (blockIdx.x == 0 && rest < n)
    atomicAdd(counters + data[rest] * COPIES, 1u);
}

extern "C" __global__ void __launch_bounds__(block_size_x)
    histogram_replicated(const unsigned char* __restrict__ data, unsigned* out, int n) {
  __shared__ unsigned counters[256 * COPIES];
  for (int i = threadIdx.x; i < 256 * COPIES; i += block_size_x)
    counters[i] = 0;
  __syncthreads();
  count_all(counters + threadIdx.x % COPIES, data, n);
  __syncthreads();
  for (int byte = threadIdx.x; byte < 256; byte += block_size_x) {
    unsigned sum = 0;
    for (int copy = 0; copy < COPIES; ++copy)
      sum += counters[byte * COPIES + (byte + copy) % COPIES]; // lanes begin in different banks
    if (sum > 0)
      atomicAdd(out + byte, sum);
  }
}

// The reference: every byte on its own. Block 256, any grid.
extern "C" __global__ void histogram_reference(const unsigned char* __restrict__ data,
                                               unsigned* out, int n) {
  __shared__ unsigned counters[256];
  counters[threadIdx.x] = 0;
  __syncthreads();
  for (unsigned i = blockIdx.x * 256 + threadIdx.x; i < n; i += gridDim.x * 256)
    atomicAdd(counters + data[i], 1u);
  __syncthreads();
  atomicAdd(out + threadIdx.x, counters[threadIdx.x]);
}
