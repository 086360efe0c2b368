// Radix sort of n unsigned integers, from the lowest digit to the highest, in one launch:
// out = keys in ascending order.
//
// What it teaches: a sort by digits is passes over memory, and wide digits are few passes
// (dram__bytes_read.sum, dram__bytes_write.sum fall with BITS) but many bins, whose runs in a tile
// are short. Keys that go straight to their bins touch a sector each
// (l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum / smsp__inst_executed_op_global_st.sum is near
// 32); turned in shared memory first, neighbours go to the same bin, and it falls the more, the
// longer the runs: with ITEMS and block_size_x, against BITS. Equal digits of a warp find each
// other by one instruction or by a ballot for each bit.
//
//   BITS     of a digit: ceil(32 / BITS) passes, 2^BITS bins
//   ITEMS    keys of a thread
//   MATCH    match    equal digits of a warp by __match_any_sync
//            ballots  by BITS ballots
//   SCATTER  direct   a key is stored as soon as its place is known
//            staged   the tile is sorted by the digit in shared memory, then stored by bins
//
// All is one queue of tasks, which the blocks take in turn: first to count the digits of all
// passes, then pass by pass to sort a tile each. A task of a pass waits until those of the pass
// before it are done, and for what tiles before it tell of their bins (decoupled look-back): for
// tasks that were taken before it, so any grid will do (blocks_per_sm). Block of at least 2^BITS
// threads, a power of two (block_size_x), with dynamic shared memory for its keys and counters.
// `control` and `states` are zero before the first launch,
// and any launch leaves them as the next one needs them. Any n < 2^31 - 2^15.
#define match 0
#define ballots 1

#define direct 0
#define staged 1

#define BINS (1 << BITS)
#define PASSES ((32 + BITS - 1) / BITS)
#define WARPS (block_size_x / 32)
#define TILE (block_size_x * ITEMS)
#define THREADS_PER_SM (ITEMS <= 16 ? 1024 : 768) // for which the compiler must leave registers
#define most_counting 512u // tasks: each adds its PASSES * BINS sums to those of all
#define COPIES 8           // of a block's counters, in different banks for neighbouring lanes

// ---- the queue

struct Control {
  unsigned long long tickets;    // taken in this launch; from 2^32 on: launches before it
  unsigned done[PASSES + 1];     // tasks of counting, of each pass
  unsigned counts[PASSES][BINS]; // keys of each digit
};

struct Ticket {
  unsigned number, launch;
};

// By one thread.
__device__ __forceinline__ unsigned long long take_ticket(Control* control) {
  return atomicAdd(&control->tickets, 1ull);
}

// What thread 0 has taken, for all.
__device__ __forceinline__ Ticket share_ticket(unsigned long long taken) {
  __shared__ Ticket shared;
  __syncthreads(); // all have read the one before
  if (threadIdx.x == 0)
    shared = {unsigned(taken), unsigned(taken >> 32)};
  __syncthreads();
  return shared;
}

// Until `count` tasks of the stage are done. What they stored is seen by loads that miss the L1.
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

// By the block that goes last, when no other looks any more: all that others may still be at is to
// store a tile of the last pass.
__device__ __forceinline__ void make_ready(Control* control, unsigned launch) {
  for (int i = threadIdx.x; i < PASSES * BINS; i += block_size_x)
    control->counts[i / BINS][i % BINS] = 0;
  if (threadIdx.x <= PASSES)
    control->done[threadIdx.x] = 0;
  if (threadIdx.x == 0)
    control->tickets = (unsigned long long)(launch + 1) << 32;
}

// ---- what tiles tell each other of a bin

enum Told : unsigned { nothing, sum, sum_of_all };

// One word, so that whoever sees a part of it sees all: a number of keys, what they are, and of
// which launch and pass (`round`).
__device__ __forceinline__ void tell(unsigned long long* state, unsigned round, Told told,
                                     unsigned count) {
  *static_cast<volatile unsigned long long*>(state) =
      (unsigned long long)(round << 2 | told) << 32 | count;
}

// Keys of this bin in all tiles before this one, and in all lower bins. Called by a thread for each
// bin, which looks at several tiles at a time.
__device__ __forceinline__ unsigned look_back(const unsigned long long* states, unsigned tile,
                                              unsigned round) {
  constexpr int each = 4;
  const auto* const told_by = reinterpret_cast<const volatile unsigned long long*>(states);
  unsigned before = 0;
  for (unsigned other = tile - 1;; other -= each) {
    unsigned long long seen[each];
#pragma unroll
    for (int e = 0; e < each; ++e)
      seen[e] = other >= e ? told_by[(other - e) * BINS + threadIdx.x] : 0;
#pragma unroll
    for (int e = 0; e < each; ++e) { // tile 0 knows all, so none before it is looked at
      while ((seen[e] >> 32) % 4 == nothing || (unsigned(seen[e] >> 32) ^ round << 2) > 3)
        seen[e] = told_by[(other - e) * BINS + threadIdx.x];
      before += unsigned(seen[e]);
      if ((seen[e] >> 32) % 4 == sum_of_all)
        return before;
    }
  }
}

// ---- a tile

struct Counting {
  unsigned counts[PASSES][BINS][COPIES];
};

struct Sorting {
  unsigned of_warp[WARPS][BINS]; // keys of a digit, then those of the warps before
  unsigned local[BINS];          // place in the sorted tile of a bin's first key
  unsigned global[BINS];         // what added to a place in the tile is that in the output
  unsigned sums[32];             // of the warps that scan the bins
  unsigned keys[SCATTER == staged ? TILE : 1];
};

union Shared {
  Counting counting;
  Sorting sorting;
};

__device__ __forceinline__ unsigned digit_of(unsigned key, int pass) {
  return key >> pass * BITS & (BINS - 1);
}

__device__ __forceinline__ void count(Counting& shared, const unsigned* __restrict__ keys,
                                      Control* control, unsigned first, unsigned stride,
                                      unsigned n) {
  for (int i = threadIdx.x; i < PASSES * BINS * COPIES; i += block_size_x)
    (&shared.counts[0][0][0])[i] = 0;
  __syncthreads();
  for (; first < n; first += stride) {
    unsigned key[ITEMS];
#pragma unroll
    for (int j = 0; j < ITEMS; ++j) {
      const unsigned i = first + j * block_size_x + threadIdx.x;
      key[j] = i < n ? keys[i] : 0;
    }
#pragma unroll
    for (int j = 0; j < ITEMS; ++j)
      if (first + j * block_size_x + threadIdx.x < n)
#pragma unroll
        for (int pass = 0; pass < PASSES; ++pass)
          atomicAdd(&shared.counts[pass][digit_of(key[j], pass)][threadIdx.x % COPIES], 1u);
  }
  __syncthreads();
  for (int i = threadIdx.x; i < PASSES * BINS; i += block_size_x) {
    unsigned sum = 0;
#pragma unroll
    for (int copy = 0; copy < COPIES; ++copy) // lanes begin in different banks
      sum += shared.counts[i / BINS][i % BINS][(copy + i / 4) % COPIES];
    atomicAdd(&control->counts[i / BINS][i % BINS], sum);
  }
}

__device__ __forceinline__ unsigned lanes_with_same(unsigned digit) {
  if constexpr (MATCH == match)
    return __match_any_sync(0xffffffffu, digit);
  unsigned same = 0xffffffffu;
#pragma unroll
  for (int bit = 0; bit < BITS; ++bit) {
    const unsigned set = __ballot_sync(0xffffffffu, digit >> bit & 1);
    same &= digit >> bit & 1 ? set : ~set;
  }
  return same;
}

// Sum of the bins before this thread's; all threads take part, those without a bin with 0.
__device__ __forceinline__ unsigned scan_bins(unsigned (&sums)[32], unsigned own) {
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  unsigned sum = own;
#pragma unroll
  for (int distance = 1; distance < 32; distance *= 2) {
    const unsigned other = __shfl_up_sync(0xffffffffu, sum, distance);
    if (lane >= distance)
      sum += other;
  }
  if (lane == 31)
    sums[warp] = sum;
  __syncthreads();
  unsigned before = sum - own;
  for (int other = 0; other < warp; ++other)
    before += sums[other];
  __syncthreads();
  return before;
}

// The keys of a thread: a warp has 32 * ITEMS neighbours, 32 at a time, so that their order is that
// of (item, lane). Those past the end are the largest, and last of all.
struct Keys {
  unsigned key[ITEMS], rank[ITEMS];

  __device__ __forceinline__ void load(const unsigned* from, unsigned first, unsigned n) {
#pragma unroll
    for (int j = 0; j < ITEMS; ++j) {
      const unsigned i = first + (threadIdx.x / 32 * ITEMS + j) * 32 + threadIdx.x % 32;
      key[j] = i < n ? __ldcg(from + i) : 0xffffffffu; // written by other SMs: not from L1
    }
  }

  // Among those of the warp with the same digit.
  __device__ __forceinline__ void rank_in_warp(unsigned* counts, int pass) {
    const int lane = threadIdx.x % 32;
#pragma unroll
    for (int j = 0; j < ITEMS; ++j) {
      const unsigned digit = digit_of(key[j], pass), same = lanes_with_same(digit);
      const int leader = __ffs(same) - 1;
      unsigned before = 0;
      if (lane == leader) {
        before = counts[digit];
        counts[digit] = before + __popc(same);
      }
      __syncwarp();
      rank[j] = __shfl_sync(0xffffffffu, before, leader) + __popc(same & ((1u << lane) - 1));
    }
  }

  __device__ __forceinline__ void store(Sorting& shared, unsigned* to, int pass, unsigned count) {
    const unsigned* const of_warp = shared.of_warp[threadIdx.x / 32];
#pragma unroll
    for (int j = 0; j < ITEMS; ++j) {
      const unsigned digit = digit_of(key[j], pass);
      const unsigned place = shared.local[digit] + of_warp[digit] + rank[j];
      if constexpr (SCATTER == staged)
        shared.keys[place] = key[j];
      else if (place < count)
        to[shared.global[digit] + place] = key[j];
    }
    if constexpr (SCATTER == staged) {
      __syncthreads();
#pragma unroll 4
      for (unsigned place = threadIdx.x; place < count; place += block_size_x)
        to[shared.global[digit_of(shared.keys[place], pass)] + place] = shared.keys[place];
    }
  }
};

// What is still to know when the warps have counted: where each bin begins, here and in the output.
__device__ __forceinline__ void place_bins(Sorting& shared, const Control* control,
                                           unsigned long long* states, unsigned tile, int pass,
                                           unsigned round) {
  const bool mine = threadIdx.x < BINS;
  unsigned long long* const state = states + tile * BINS + threadIdx.x;
  unsigned count = 0;
  if (mine) {
#pragma unroll
    for (int warp = 0; warp < WARPS; ++warp) {
      const unsigned of_warp = shared.of_warp[warp][threadIdx.x];
      shared.of_warp[warp][threadIdx.x] = count;
      count += of_warp;
    }
    if (tile > 0)
      tell(state, round, sum, count);
  }
  const unsigned local = scan_bins(shared.sums, count);
  unsigned before = 0;
  if (tile == 0)
    before = scan_bins(shared.sums, mine ? __ldcg(&control->counts[pass][threadIdx.x]) : 0);
  else if (mine)
    before = look_back(states, tile, round);
  if (mine) {
    tell(state, round, sum_of_all, before + count);
    shared.local[threadIdx.x] = local;
    shared.global[threadIdx.x] = before - local;
  }
  __syncthreads();
}

// @return thread 0: the next ticket, which it takes while keys are stored
__device__ __forceinline__ unsigned long long sort_tile(Sorting& shared, const unsigned* from,
                                                        unsigned* to, Control* control,
                                                        unsigned long long* states, unsigned tile,
                                                        int pass, unsigned round, unsigned n) {
  Keys keys;
  keys.load(from, tile * TILE, n);
  for (int i = threadIdx.x; i < WARPS * BINS; i += block_size_x)
    shared.of_warp[i / BINS][i % BINS] = 0;
  __syncthreads();
  keys.rank_in_warp(shared.of_warp[threadIdx.x / 32], pass);
  __syncthreads();
  place_bins(shared, control, states, tile, pass, round);
  const unsigned long long next = threadIdx.x == 0 ? take_ticket(control) : 0;
  keys.store(shared, to, pass, min(unsigned(TILE), n - tile * TILE));
  return next;
}

extern "C" __global__ void __launch_bounds__(block_size_x, THREADS_PER_SM / block_size_x)
    radix_sort(const unsigned* keys, unsigned* out, unsigned* between, unsigned long long* states,
               Control* control, int n) {
  extern __shared__ unsigned memory[];
  Shared& shared = *reinterpret_cast<Shared*>(memory);
  const unsigned tiles = (n + TILE - 1) / TILE, counting = min(tiles, most_counting);
  const unsigned tasks = counting + PASSES * tiles;
  unsigned long long taken = threadIdx.x == 0 ? take_ticket(control) : 0;
  for (int ready = -1;;) { // the pass that need not be waited for
    const Ticket ticket = share_ticket(taken);
    if (ticket.number >= tasks) {
      if (ticket.number == tasks + gridDim.x - 1)
        make_ready(control, ticket.launch);
      return;
    }
    if (ticket.number < counting) {
      count(shared.counting, keys, control, ticket.number * TILE, counting * TILE, n);
      tell_done(&control->done[0]);
      taken = threadIdx.x == 0 ? take_ticket(control) : 0;
      continue;
    }
    const int pass = (ticket.number - counting) / tiles;
    if (pass != ready)
      wait_for(&control->done[pass], pass == 0 ? counting : tiles);
    ready = pass;
    // The last pass ends in out.
    unsigned* const to = (PASSES - pass) % 2 == 1 ? out : between;
    const unsigned* const from = pass == 0 ? keys : to == out ? between : out;
    taken = sort_tile(shared.sorting, from, to, control, states, (ticket.number - counting) % tiles,
                      pass, ticket.launch * PASSES + pass, n);
    if (pass + 1 < PASSES) // of the last nobody asks
      tell_done(&control->done[pass + 1]);
  }
}

// The reference: one block, bit by bit, keys with a 0 before those with a 1. Block 1024, grid 1.
extern "C" __global__ void radix_sort_reference(const unsigned* keys, unsigned* out,
                                                unsigned* between, unsigned long long*, Control*,
                                                int n) {
  __shared__ int zeros_of_warp[32], all_zeros;
  const int t = threadIdx.x, lane = t % 32, warp = t / 32;
  for (int bit = 0; bit < 32; ++bit) {
    const unsigned* const from = bit == 0 ? keys : bit % 2 == 1 ? between : out;
    unsigned* const to = bit % 2 == 1 ? out : between;
    if (t == 0)
      all_zeros = 0;
    __syncthreads();
    int zeros = 0;
    for (int i = t; i < n; i += 1024)
      zeros += ~from[i] >> bit & 1;
    atomicAdd(&all_zeros, zeros);
    __syncthreads();
    int next_zero = 0, next_one = all_zeros;
    for (int first = 0; first < n; first += 1024) {
      const bool there = first + t < n;
      const unsigned key = there ? from[first + t] : 0;
      const bool zero = there && (key >> bit & 1) == 0;
      const unsigned of_warp = __ballot_sync(0xffffffffu, zero);
      if (lane == 0)
        zeros_of_warp[warp] = __popc(of_warp);
      __syncthreads();
      int before = __popc(of_warp & ((1u << lane) - 1)), all = 0;
      for (int other = 0; other < 32; ++other) {
        before += other < warp ? zeros_of_warp[other] : 0;
        all += zeros_of_warp[other];
      }
      if (there)
        to[zero ? next_zero + before : next_one + t - before] = key;
      next_zero += all;
      next_one += 1024 - all; // of the last round nobody needs it
      __syncthreads();
    }
  }
}
