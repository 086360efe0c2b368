// Merge sort of n unsigned integers in one launch: out = keys in ascending order. Tiles are sorted
// in shared memory, then runs of tiles are merged two by two.
//
// What it teaches: where the words of a thread lie in shared memory. A thread that sorts or merges
// walks along its own run; where runs lie one after the other and their length is even, many lanes
// meet in the same bank (l1tex__data_pipe_lsu_wavefronts_mem_shared.sum /
// smsp__inst_executed_op_shared.sum). Runs in columns never meet while each thread walks its own,
// a free word after every 32 helps, and an odd number of ITEMS costs nothing at all. Every merging
// reads and writes all keys (dram__bytes_read.sum), so larger tiles save passes; and a tile of a
// merge begins with a search in global memory, whose steps wait for each other
// (smsp__average_warp_latency_issue_stalled_long_scoreboard.ratio).
//
//   ITEMS   keys of a thread
//   LAYOUT  rows     the keys of a thread lie side by side
//           padded   the same, with a word free after every 32
//           columns  the first keys of all threads lie side by side, then all the second, ...
//   SEARCH  one_thread  where a tile of a merge begins is found by halving, by one thread
//           one_warp    by 32 lanes at once: 5 steps instead of 24
//
// All is one queue of tasks, which the blocks take in turn: a tile each to sort, then to merge, run
// length by run length. A task waits until those of the run length before are done, which were taken
// before it, so any grid will do (blocks_per_sm). Block of a power of two of at least 64 threads
// (block_size_x). `control` is zero before the first launch, and any launch leaves it as the next one
// needs it. Any n <= 2^29.
#define rows 0
#define padded 1
#define columns 2

#define one_thread 0
#define one_warp 1

#define TILE (block_size_x * ITEMS)

// ---- the queue

struct Control {
  unsigned tickets;  // taken in this launch
  unsigned done[32]; // tasks: of sorting, of each run length
};

__device__ __forceinline__ unsigned take_ticket(Control* control) {
  __shared__ unsigned ticket;
  __syncthreads(); // all have read the one before
  if (threadIdx.x == 0)
    ticket = atomicAdd(&control->tickets, 1u);
  __syncthreads();
  return ticket;
}

// Until `count` tasks are done. What they stored is seen by loads that miss the L1.
__device__ __forceinline__ void wait_for(const unsigned* done, unsigned count) {
  if (threadIdx.x == 0) {
    while (*static_cast<const volatile unsigned*>(done) < count)
      ;
    __threadfence();
  }
  __syncthreads();
}

__device__ __forceinline__ void tell_done(unsigned* done) {
  __syncthreads();
  if (threadIdx.x == 0) {
    __threadfence();
    atomicAdd(done, 1u);
  }
}

// ---- a tile in shared memory

__device__ __forceinline__ int place(int i) {
  if constexpr (LAYOUT == columns)
    return i % ITEMS * block_size_x + i / ITEMS;
  else
    return LAYOUT == padded ? i + i / 32 : i;
}

// A merge looks at one key past the last, and a thread past the end of a short tile at ITEMS.
struct Tile {
  unsigned words[(TILE + ITEMS) / 32 * 33 + 33];

  __device__ __forceinline__ unsigned operator[](int i) const { return words[place(i)]; }

  // The keys of all threads, each with neighbours.
  __device__ __forceinline__ void keep(const unsigned (&keys)[ITEMS]) {
    __syncthreads(); // nobody reads those before any more
#pragma unroll
    for (int j = 0; j < ITEMS; ++j)
      words[place(threadIdx.x * ITEMS + j)] = keys[j];
    __syncthreads();
  }

  __device__ __forceinline__ void store(unsigned* to, int count) const {
#pragma unroll
    for (int j = 0; j < ITEMS; ++j) {
      const int i = j * block_size_x + threadIdx.x;
      if (i < count)
        to[i] = words[place(i)];
    }
  }
};

// Of the first `diagonal` keys of two merged runs, how many are of the first one. Equal keys are
// taken from the first run first.
struct Runs {
  int first, middle, last; // the second begins where the first ends
};

__device__ __forceinline__ int least_of_first(Runs runs, int diagonal) {
  return max(0, diagonal - (runs.last - runs.middle));
}

__device__ __forceinline__ int most_of_first(Runs runs, int diagonal) {
  return min(diagonal, runs.middle - runs.first);
}

template <class Keys>
__device__ __forceinline__ bool takes_first(const Keys& keys, Runs runs, int diagonal, int i) {
  return keys[runs.first + i] <= keys[runs.middle + diagonal - 1 - i];
}

template <class Keys>
__device__ __forceinline__ int split(const Keys& keys, Runs runs, int diagonal) {
  int least = least_of_first(runs, diagonal), most = most_of_first(runs, diagonal);
  while (least < most) {
    const int half = (least + most) / 2;
    if (takes_first(keys, runs, diagonal, half))
      least = half + 1;
    else
      most = half;
  }
  return least;
}

// The same by all lanes of a warp.
template <class Keys>
__device__ __forceinline__ int split_by_warp(const Keys& keys, Runs runs, int diagonal) {
  const int lane = threadIdx.x % 32;
  int least = least_of_first(runs, diagonal), most = most_of_first(runs, diagonal);
  while (least < most) {
    const int step = (most - least + 31) / 32, mine = least + lane * step;
    const bool takes = mine < most && takes_first(keys, runs, diagonal, mine);
    const int taken = __popc(__ballot_sync(0xffffffffu, takes)); // by the lowest lanes
    most = min(most, least + taken * step);
    least = taken > 0 ? least + (taken - 1) * step + 1 : least;
  }
  return least;
}

// The ITEMS keys from `diagonal` on of two merged runs.
__device__ __forceinline__ void merge(unsigned (&keys)[ITEMS], const Tile& tile, Runs runs,
                                      int diagonal) {
  const int of_first = split(tile, runs, diagonal);
  int a = runs.first + of_first, b = runs.middle + diagonal - of_first;
  unsigned next_a = tile[a], next_b = tile[b];
#pragma unroll
  for (int j = 0; j < ITEMS; ++j) {
    const bool from_a = a < runs.middle && (b >= runs.last || next_a <= next_b);
    keys[j] = from_a ? next_a : next_b;
    const unsigned next = tile[from_a ? ++a : ++b];
    next_a = from_a ? next : next_a;
    next_b = from_a ? next_b : next;
  }
}

// Odd and even neighbours in turn.
__device__ __forceinline__ void sort_own(unsigned (&keys)[ITEMS]) {
#pragma unroll
  for (int round = 0; round < ITEMS; ++round)
#pragma unroll
    for (int j = round % 2; j + 1 < ITEMS; j += 2) {
      const unsigned low = min(keys[j], keys[j + 1]), high = max(keys[j], keys[j + 1]);
      keys[j] = low;
      keys[j + 1] = high;
    }
}

// ---- the tasks

__device__ __forceinline__ void sort_tile(Tile& tile, const unsigned* __restrict__ from,
                                          unsigned* to, int count) {
  unsigned keys[ITEMS];
#pragma unroll
  for (int j = 0; j < ITEMS; ++j) {
    const int i = j * block_size_x + threadIdx.x;
    keys[j] = i < count ? from[i] : 0xffffffffu;
  }
  sort_own(keys);
  tile.keep(keys);
  for (int run = ITEMS; run < TILE; run *= 2) {
    const int first = threadIdx.x * ITEMS / (2 * run) * (2 * run);
    merge(keys, tile, {first, first + run, first + 2 * run}, threadIdx.x * ITEMS - first);
    tile.keep(keys);
  }
  tile.store(to, count);
}

// Keys that other SMs have written: not from the L1.
struct FromL2 {
  const unsigned* keys;

  __device__ __forceinline__ unsigned operator[](int i) const { return __ldcg(keys + i); }
};

// How many keys of the first run are before the tile, and before the next one.
__device__ __forceinline__ void find_ends(int (&ends)[2], FromL2 from, Runs runs, int begin,
                                          int end) {
  const int mine = threadIdx.x / 32;
  const int diagonal = mine == 0 ? begin : end;
  if (mine < 2 && (SEARCH == one_warp || threadIdx.x % 32 == 0)) {
    const int found =
        SEARCH == one_warp ? split_by_warp(from, runs, diagonal) : split(from, runs, diagonal);
    if (threadIdx.x % 32 == 0)
      ends[mine] = found;
  }
  __syncthreads();
}

// The tile at `first` of merged runs of `run` keys; the last may be shorter, or not there.
__device__ __forceinline__ void merge_tile(Tile& tile, const unsigned* keys_from, unsigned* to,
                                           int first, int run, int n) {
  __shared__ int ends[2];
  const FromL2 from{keys_from};
  const int pair = first / run / 2 * 2 * run;
  const Runs runs = {pair, min(pair + run, n), min(pair + 2 * run, n)};
  const int begin = first - pair, count = min(TILE, n - first);
  find_ends(ends, from, runs, begin, begin + count);
  const int of_first = ends[1] - ends[0];
  const int a = runs.first + ends[0], b = runs.middle + begin - ends[0] - of_first;
  unsigned keys[ITEMS];
#pragma unroll
  for (int j = 0; j < ITEMS; ++j) {
    const int i = j * block_size_x + threadIdx.x;
    keys[j] = i < count ? from[i + (i < of_first ? a : b)] : 0;
  }
#pragma unroll
  for (int j = 0; j < ITEMS; ++j)
    tile.words[place(j * block_size_x + threadIdx.x)] = keys[j];
  __syncthreads();
  merge(keys, tile, {0, of_first, count}, min(int(threadIdx.x) * ITEMS, count));
  tile.keep(keys);
  tile.store(to + first, count);
}

extern "C" __global__ void __launch_bounds__(block_size_x)
    merge_sort(const unsigned* __restrict__ keys, unsigned* out, unsigned* between,
               Control* control, int n) {
  __shared__ Tile tile;
  const unsigned tiles = (n + TILE - 1) / TILE, merges = tiles > 1 ? 32 - __clz(tiles - 1) : 0;
  const unsigned tasks = tiles * (merges + 1);
  for (;;) {
    const unsigned ticket = take_ticket(control);
    if (ticket >= tasks) {
      if (ticket == tasks + gridDim.x - 1 && threadIdx.x == 0) // the last: no other looks any more
        *control = {};
      return;
    }
    const int stage = ticket / tiles, first = ticket % tiles * TILE;
    // The last stage ends in out.
    unsigned* const to = (merges - stage) % 2 == 0 ? out : between;
    if (stage == 0)
      sort_tile(tile, keys + first, to + first, min(TILE, n - first));
    else {
      wait_for(&control->done[stage - 1], tiles);
      merge_tile(tile, to == out ? between : out, to, first, TILE << (stage - 1), n);
    }
    tell_done(&control->done[stage]);
  }
}

// The reference knows the keys: multiples of ((2^32 - 1) / n), each once. Block 256, grid
// ceil(n / 256).
extern "C" __global__ void merge_sort_reference(const unsigned* __restrict__ keys, unsigned* out,
                                                unsigned*, Control*, int n) {
  const int i = blockIdx.x * 256 + threadIdx.x;
  if (i < n)
    out[keys[i] / (0xffffffffu / n)] = keys[i];
}
