// target = source, n bytes. Every configuration copies the same words, each of them once; what is
// tuned is the order in which threads come to them, and how wide they are.
//
// What it teaches: a warp's access is served in sectors of 32 bytes, so the pattern decides how
// much is moved for the same copy. Sectors per request, which is
// l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum / smsp__inst_executed_op_global_ld.sum, are WIDTH
// for the coalesced copy, WIDTH * STRIDE but at most 32 for the strided one, and WIDTH + 1 where a
// warp begins inside a sector; beginning inside a line costs nothing. dram__bytes_read.sum tells
// what of it reaches the memory: the stride, where the copy is larger than the L2; not the shift,
// whose neighbours find their common sector in a cache.
//
//   VARIANT  coalesced  the lanes of a warp lie side by side
//            strided    they lie STRIDE words apart; the words between are copied later
//            misaligned as coalesced, but every warp begins OFFSET words after a boundary
//            rows       the words are cut into rows of ROW words, a block for each row: packed
//                       (1001) rows begin anywhere, pitched ones at a sector (1008) or a line
//                       (1024) from words of four bytes on
//   WIDTH    bytes of a word; the last n % WIDTH bytes are copied one by one
//   STRIDE   words between neighbouring lanes (strided; 1 otherwise)
//   OFFSET   words by which all warps are shifted (misaligned; 0 otherwise)
//   ROW      words from one row's start to the next (rows; 0 otherwise)
//
// Right for any block and grid, which are left to Gridsmith (block_size_x, blocks_per_sm): a thread
// per word, or as many blocks per SM as asked for. Grid
// (ceil(n / (WIDTH * STRIDE * block_size_x)), STRIDE), for rows ceil(n / (WIDTH * ROW)). Any n.
#define coalesced 0
#define strided 1
#define misaligned 2
#define rows 3

struct alignas(WIDTH) Word {
  unsigned char byte[WIDTH];
};

#if VARIANT == rows

template <class Visit>
__device__ __forceinline__ void for_each_word(unsigned words, Visit visit) {
  for (unsigned row = blockIdx.x * ROW; row < words; row += gridDim.x * ROW)
    for (unsigned word = row + threadIdx.x; word < min(row + ROW, words); word += block_size_x)
      visit(word);
}

#else

// Every word once: the STRIDE phases of the grid's y axis are the remainders modulo STRIDE, and a
// shift past the end goes on at the beginning.
template <class Visit>
__device__ __forceinline__ void for_each_word(unsigned words, Visit visit) {
  const unsigned offset = OFFSET < words ? OFFSET : 0;
  const unsigned first = (blockIdx.x * block_size_x + threadIdx.x) * STRIDE;
  for (unsigned phase = blockIdx.y; phase < STRIDE; phase += gridDim.y)
    for (unsigned i = first + phase; i < words; i += gridDim.x * block_size_x * STRIDE)
      visit(i < words - offset ? i + offset : i + offset - words);
}

#endif

extern "C" __global__ void __launch_bounds__(block_size_x)
    copy(const unsigned char* __restrict__ source, unsigned char* __restrict__ target, int n) {
  const unsigned words = n / WIDTH;
  const Word* const from = reinterpret_cast<const Word*>(source);
  Word* const to = reinterpret_cast<Word*>(target);
  for_each_word(words, [=](unsigned i) { to[i] = from[i]; });
  const unsigned rest = words * WIDTH + threadIdx.x; // fewer than a warp
  if (blockIdx.x == 0 && blockIdx.y == 0 && rest < n)
    target[rest] = source[rest];
}

// The reference: one byte per thread. Block 256, grid ceil(n / 256).
extern "C" __global__ void copy_reference(const unsigned char* __restrict__ source,
                                          unsigned char* __restrict__ target, int n) {
  const int i = blockIdx.x * 256 + threadIdx.x;
  if (i < n)
    target[i] = source[i];
}
