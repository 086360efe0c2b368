// target = source, n bytes, by what brings them: registers, asynchronous copies of each thread, or
// bulk copies of a block. The order in which threads come to the words is that of the catalogue's
// copy, coalesced.
//
// What it teaches: a copy is as fast as there are bytes under way (time_ms over LOADS, STAGES and
// blocks per SM, until dram__throughput.avg.pct_of_peak_sustained_elapsed is all that is left).
// Bytes under way in registers cost registers (launch__registers_per_thread), and warps that wait;
// asynchronous copies keep them in shared memory, past the registers; and a bulk copy is one
// instruction of one thread for a whole tile (smsp__inst_executed.sum nearly vanishes).
//
//   VARIANT  registers  a thread loads LOADS words, then stores them
//            async      by cp.async into the thread's own words of shared memory, STAGES times LOADS
//                       of them on their way or read
//            bulk       by cp.async.bulk, tiles of as many bytes, into and out of shared memory (the
//                       tensor memory accelerator; from compute capability 9.0 on)
//   WIDTH    bytes of a word; the last n % WIDTH bytes are copied one by one
//   LOADS    words of a thread at a time; a tile has block_size_x * LOADS words
//   STAGES   tiles of a block in shared memory (1 with registers)
//
// Right for any block of at least 32 threads and any grid, which are left to Gridsmith (block_size_x,
// blocks_per_sm): a tile per block, or as many blocks per SM as asked for, which stride over the
// rest. Grid ceil(n / (WIDTH * LOADS * block_size_x)). Any n < 2^31 - 2^20.
#define registers 0
#define async 1
#define bulk 2

#define TILE_WORDS (block_size_x * LOADS)

struct alignas(WIDTH) Word {
  unsigned char byte[WIDTH];
};

// ---- the machine's words

__device__ __forceinline__ unsigned shared_address(const void* at) {
  return (unsigned)__cvta_generic_to_shared(at);
}

__device__ __forceinline__ void copy_word(Word* to, const Word* from) {
  asm volatile("cp.async.ca.shared.global [%0], [%1], %2;"
               :
               : "r"(shared_address(to)), "l"(from), "n"(WIDTH)
               : "memory");
}

__device__ __forceinline__ void end_words() {
  asm volatile("cp.async.commit_group;" ::: "memory");
}

// Until at most that many groups of this thread are on their way.
template <int groups>
__device__ __forceinline__ void wait_for_words() {
  asm volatile("cp.async.wait_group %0;" : : "n"(groups) : "memory");
}

// A barrier that one thread and the bytes of its copies arrive at.
__device__ __forceinline__ void make_barrier(unsigned long long* barrier) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;\n\t"
               "fence.mbarrier_init.release.cluster;"
               :
               : "r"(shared_address(barrier))
               : "memory");
}

__device__ __forceinline__ void load_tile(void* to, const void* from, unsigned bytes,
                                          unsigned long long* barrier) {
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;"
               :
               : "r"(shared_address(barrier)), "r"(bytes)
               : "memory");
  asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes "
               "[%0], [%1], %2, [%3];"
               :
               : "r"(shared_address(to)), "l"(from), "r"(bytes), "r"(shared_address(barrier))
               : "memory");
}

__device__ __forceinline__ void wait_for_tile(unsigned long long* barrier, unsigned parity) {
  asm volatile("{\n\t"
               ".reg .pred there;\n\t"
               "again:\n\t"
               "mbarrier.try_wait.parity.shared::cta.b64 there, [%0], %1;\n\t"
               "@!there bra again;\n\t"
               "}"
               :
               : "r"(shared_address(barrier)), "r"(parity)
               : "memory");
}

__device__ __forceinline__ void store_tile(void* to, const void* from, unsigned bytes) {
  asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;\n\t"
               "cp.async.bulk.commit_group;"
               :
               : "l"(to), "r"(shared_address(from)), "r"(bytes)
               : "memory");
}

// Until at most that many tiles are still read from shared memory.
template <int tiles>
__device__ __forceinline__ void wait_for_stores() {
  asm volatile("cp.async.bulk.wait_group.read %0;" : : "n"(tiles) : "memory");
}

// ---- the copies of whole words

#if VARIANT == registers

__device__ __forceinline__ void copy_words(const Word* __restrict__ from, Word* __restrict__ to,
                                           unsigned words) {
  for (unsigned i = blockIdx.x * TILE_WORDS + threadIdx.x; i < words; i += gridDim.x * TILE_WORDS) {
    Word word[LOADS];
#pragma unroll
    for (int l = 0; l < LOADS; ++l)
      if (i + l * block_size_x < words)
        word[l] = from[i + l * block_size_x];
#pragma unroll
    for (int l = 0; l < LOADS; ++l)
      if (i + l * block_size_x < words)
        to[i + l * block_size_x] = word[l];
  }
}

#elif VARIANT == async

// A thread reads only what it has copied itself: no barrier.
__device__ __forceinline__ void copy_words(const Word* __restrict__ from, Word* __restrict__ to,
                                           unsigned words) {
  __shared__ Word shared[STAGES][LOADS][block_size_x];
  const unsigned stride = gridDim.x * TILE_WORDS;
  const auto load = [&](unsigned first, int stage) {
#pragma unroll
    for (int l = 0; l < LOADS; ++l)
      if (first + l * block_size_x < words)
        copy_word(&shared[stage][l][threadIdx.x], from + first + l * block_size_x);
    end_words();
  };
  unsigned next = blockIdx.x * TILE_WORDS + threadIdx.x, i = next;
  for (int stage = 0; stage < STAGES - 1; ++stage, next += stride)
    load(next, stage);
  for (int stage = 0; i < words; i += stride, next += stride) {
    load(next, (stage + STAGES - 1) % STAGES);
    wait_for_words<STAGES - 1>();
#pragma unroll
    for (int l = 0; l < LOADS; ++l)
      if (i + l * block_size_x < words)
        to[i + l * block_size_x] = shared[stage][l][threadIdx.x];
    stage = (stage + 1) % STAGES;
  }
}

#else

// One thread does it all.
__device__ __forceinline__ void copy_words(const Word* __restrict__ from, Word* __restrict__ to,
                                           unsigned words) {
  __shared__ __align__(128) Word shared[STAGES][TILE_WORDS];
  __shared__ unsigned long long there[STAGES];
  constexpr int ahead = STAGES > 2 ? STAGES - 2 : STAGES - 1; // tiles on their way in
  if (threadIdx.x != 0)
    return;
  const unsigned tiles = (words + TILE_WORDS - 1) / TILE_WORDS;
  const auto bytes_of = [=](unsigned tile) {
    return min(unsigned(TILE_WORDS), words - tile * TILE_WORDS) * WIDTH;
  };
  const auto load = [&](unsigned tile, int stage) {
    if (tile < tiles)
      load_tile(shared[stage], from + tile * TILE_WORDS, bytes_of(tile), &there[stage]);
  };
  for (int stage = 0; stage < STAGES; ++stage)
    make_barrier(&there[stage]);
  for (int stage = 0; stage < ahead; ++stage)
    load(blockIdx.x + stage * gridDim.x, stage);
  int stage = 0;
  unsigned parity = 0;
  for (unsigned tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
    wait_for_stores<STAGES - 1 - ahead>(); // that from the stage to be filled is done
    load(tile + ahead * gridDim.x, (stage + ahead) % STAGES);
    wait_for_tile(&there[stage], parity);
    store_tile(to + tile * TILE_WORDS, shared[stage], bytes_of(tile));
    stage = (stage + 1) % STAGES;
    parity ^= stage == 0;
  }
  wait_for_stores<0>(); // shared memory is not given back before it was read
}

#endif

extern "C" __global__ void __launch_bounds__(block_size_x)
    copy_async(const unsigned char* __restrict__ source, unsigned char* __restrict__ target,
               int n) {
  const unsigned words = n / WIDTH;
  const unsigned rest = words * WIDTH + threadIdx.x; // fewer than a warp
  if (blockIdx.x == 0 && rest < n)
    target[rest] = source[rest];
  copy_words(reinterpret_cast<const Word*>(source), reinterpret_cast<Word*>(target), words);
}

// The reference: one byte per thread. Block 256, grid ceil(n / 256).
extern "C" __global__ void copy_reference(const unsigned char* __restrict__ source,
                                          unsigned char* __restrict__ target, int n) {
  const int i = blockIdx.x * 256 + threadIdx.x;
  if (i < n)
    target[i] = source[i];
}
