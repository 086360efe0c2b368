// Histogram of n bytes: out[b] += how often byte b occurs, b < 256.
//
// What it teaches: an atomic is as fast as its addresses are different, and that is up to the data.
// Lanes of a warp that count the same byte take turns in shared memory
// (l1tex__data_pipe_lsu_wavefronts_mem_shared_op_atom.sum / smsp__inst_executed_op_shared_atom.sum)
// and, where there is no counting there, at the L2 (lts__t_sectors_op_red.sum). The bytes of
// histogram.json are uniform, those of histogram_skewed.json mostly a few values, those of
// histogram_constant.json all the same: what is best for one may be the worst for another. Joining
// the lanes that agree is useless work for the first and makes the last as fast as any. Counters of
// a byte for each thread need no atomics at all: two accesses of shared memory without conflicts,
// whatever the data.
//
//   VARIANT  direct     every byte is an atomic on out
//            per_block  a block counts in shared memory and adds its 256 sums to out
//            per_warp   as per_block, with counters of its own for every warp
//            per_thread every thread has 256 counters of a byte; before one can be full a block
//                       adds them up
//   SHARED   static_size or dynamic_size: whether the number of counters is known when this is
//            compiled, or comes with the memory at the launch (bin_count; per_block, per_warp);
//            per_thread needs more than can be static
//   AGGREGATE 1: lanes with the same byte find each other, and one of them adds for all
//   WIDTH    bytes of one load; the last n % WIDTH are taken one by one
//
// Right for any grid and any block of whole warps, which are left to Gridsmith (block_size_x,
// blocks_per_sm). Grid ceil(n / (block_size_x * WIDTH)); dynamic shared memory 4 * bin_count bytes
// for each set of counters, 256 bytes for each thread with per_thread. Any n < 2^31 - 2^14.
#define direct 0
#define per_block 1
#define per_warp 2
#define per_thread 3

#define static_size 0
#define dynamic_size 1

struct alignas(WIDTH) Word {
  unsigned char byte[WIDTH];
};

// Called by all lanes of `active`, which is their mask.
__device__ __forceinline__ void count(unsigned* counters, unsigned byte, unsigned active) {
  if constexpr (AGGREGATE) {
    const unsigned same = __match_any_sync(active, byte);
    if (threadIdx.x % 32 == __ffs(same) - 1)
      atomicAdd(counters + byte, __popc(same));
  } else {
    atomicAdd(counters + byte, 1u);
  }
}

// All threads of a block go round together, so that a lane can know which others have a word.
__device__ __forceinline__ void count_all(unsigned* counters,
                                          const unsigned char* __restrict__ data, unsigned n) {
  const unsigned words = n / WIDTH;
  const Word* const from = reinterpret_cast<const Word*>(data);
  for (unsigned base = blockIdx.x * block_size_x; base < words; base += gridDim.x * block_size_x) {
    const unsigned i = base + threadIdx.x;
    const unsigned active = AGGREGATE ? __ballot_sync(0xffffffffu, i < words) : 0;
    if (i < words) {
      const Word word = from[i];
#pragma unroll
      for (int b = 0; b < WIDTH; ++b)
        count(counters, word.byte[b], active);
    }
  }
  const unsigned rest = words * WIDTH + threadIdx.x; // fewer than a warp
  if (blockIdx.x == 0 && rest < n)
    atomicAdd(counters + data[rest], 1u);
}

template <int sets>
__device__ __forceinline__ void
count_in_block(unsigned* out, const unsigned char* __restrict__ data, unsigned n, int bin_count) {
#if SHARED == dynamic_size
  extern __shared__ unsigned counters[];
  const int bins = bin_count;
#else
  constexpr int bins = 256;
  __shared__ unsigned counters[sets * bins];
#endif
  for (int i = threadIdx.x; i < sets * bins; i += block_size_x)
    counters[i] = 0;
  __syncthreads();
  count_all(counters + (sets > 1 ? threadIdx.x / 32 * bins : 0), data, n);
  __syncthreads();
  for (int bin = threadIdx.x; bin < bins; bin += block_size_x) {
    unsigned sum = 0;
    for (int set = 0; set < sets; ++set)
      sum += counters[set * bins + bin];
    if (sum > 0)
      atomicAdd(out + bin, sum);
  }
}

#if VARIANT == per_thread

// The counters of a byte's value are a row, in which lanes of a warp lie in different banks: a byte of
// one word for each of four warps.
struct Counters {
  unsigned char* of_thread;
  unsigned* words;

  __device__ __forceinline__ explicit Counters(unsigned* memory)
      : of_thread(reinterpret_cast<unsigned char*>(memory) + threadIdx.x / 128 * 128 +
                  threadIdx.x % 32 * 4 + threadIdx.x / 32 % 4),
        words(memory) {
    for (int i = threadIdx.x; i < 64 * block_size_x; i += block_size_x)
      words[i] = 0;
  }

  __device__ __forceinline__ void count(const Word& word) {
#pragma unroll
    for (int b = 0; b < WIDTH; ++b)
      ++of_thread[word.byte[b] * block_size_x];
  }

  // Adds all to sums and begins again at zero. Lanes begin in different banks.
  __device__ __forceinline__ void add_to(unsigned* sums) {
    constexpr int length = block_size_x / 4; // words of a row, a power of two
    __syncthreads();
    for (int bin = threadIdx.x; bin < 256; bin += block_size_x) {
      unsigned even = 0, odd = 0; // two sums of 16 bits each, of up to 128 words
#pragma unroll 8
      for (int i = 0; i < length; ++i) {
        unsigned& word = words[bin * length + (i + bin) % length];
        even += word & 0x00ff00ffu;
        odd += word >> 8 & 0x00ff00ffu;
        word = 0;
      }
      sums[bin] += (even & 0xffff) + (even >> 16) + (odd & 0xffff) + (odd >> 16);
    }
    __syncthreads();
  }
};

__device__ __forceinline__ void
count_by_thread(unsigned* out, const unsigned char* __restrict__ data, unsigned n) {
  constexpr int most = 240 / WIDTH; // words of a thread until a counter could be full
  extern __shared__ unsigned memory[];
  __shared__ unsigned sums[256];
  for (int bin = threadIdx.x; bin < 256; bin += block_size_x)
    sums[bin] = 0;
  Counters counters(memory);
  __syncthreads();
  const unsigned words = n / WIDTH, step = gridDim.x * block_size_x;
  const Word* const from = reinterpret_cast<const Word*>(data);
  // All threads of a block go round together.
  const unsigned rounds = (words + step - 1) / step;
  unsigned i = blockIdx.x * block_size_x + threadIdx.x;
  Word next[2]; // on their way while others are counted
  for (int l = 0; l < 2; ++l)
    if (i + l * step < words)
      next[l] = from[i + l * step];
  int counted = 0;
  for (unsigned round = 0; round < rounds; round += 2, i += 2 * step) {
    const Word now[2] = {next[0], next[1]};
#pragma unroll
    for (int l = 0; l < 2; ++l)
      if (i + (l + 2) * step < words)
        next[l] = from[i + (l + 2) * step];
#pragma unroll
    for (int l = 0; l < 2; ++l)
      if (i + l * step < words)
        counters.count(now[l]);
    if ((counted += 2) > most - 2 || round + 2 >= rounds) {
      counters.add_to(sums);
      counted = 0;
    }
  }
  const unsigned rest = words * WIDTH + threadIdx.x; // fewer than a warp
  if (blockIdx.x == 0 && rest < n)
    atomicAdd(out + data[rest], 1u);
  for (int bin = threadIdx.x; bin < 256; bin += block_size_x)
    if (sums[bin] > 0)
      atomicAdd(out + bin, sums[bin]);
}

#endif

extern "C" __global__ void __launch_bounds__(block_size_x)
    histogram(const unsigned char* __restrict__ data, unsigned* out, int n, int bin_count) {
#if VARIANT == direct
  count_all(out, data, n);
#elif VARIANT == per_thread
  count_by_thread(out, data, n);
#else
  count_in_block<VARIANT == per_warp ? block_size_x / 32 : 1>(out, data, n, bin_count);
#endif
}

// The reference: every byte on its own. Block 256, any grid.
extern "C" __global__ void histogram_reference(const unsigned char* __restrict__ data,
                                               unsigned* out, int n, int) {
  __shared__ unsigned counters[256];
  counters[threadIdx.x] = 0;
  __syncthreads();
  for (unsigned i = blockIdx.x * 256 + threadIdx.x; i < n; i += gridDim.x * 256)
    atomicAdd(counters + data[i], 1u);
  __syncthreads();
  atomicAdd(out + threadIdx.x, counters[threadIdx.x]);
}
