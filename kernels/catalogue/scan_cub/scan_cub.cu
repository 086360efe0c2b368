// Inclusive scan of n unsigned integers in one pass by the block primitives of CUB: cub::BlockLoad,
// cub::BlockScan and cub::BlockStore, and between blocks a decoupled look-back (Merrill and Garland,
// 2016), which BlockScan calls for the sum of all tiles before.
//
// What it teaches: how primitives are joined to a device-wide algorithm, and what remains to be
// tuned: CUB's names are the values. A thread scans neighbours, memory wants neighbouring threads at
// neighbours: direct accesses touch ITEMS times the sectors
// (l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum / smsp__inst_executed_op_global_ld.sum), vectors a
// quarter of that, a transpose through shared memory none too many, for its wavefronts
// (l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum). The larger a tile, the shorter the chain of
// those who wait for each other. The catalogue's `scan` does the same by hand.
//
//   ACCESS  BLOCK_LOAD_ and BLOCK_STORE_ this: how a tile comes and goes
//   SCAN    cub::BlockScanAlgorithm
//   ITEMS   elements of a thread
//
// Block of whole warps, left to Gridsmith (block_size_x); grid ceil(n / (block_size_x * ITEMS)).
// `states` and `tickets` are zero before the first launch, and any launch leaves them as the next
// one needs them. Any n < 2^31 - 2^15.
#include <cub/block/block_load.cuh>
#include <cub/block/block_scan.cuh>
#include <cub/block/block_store.cuh>

#define JOINED(a, b) a##b
#define NAMED(a, b) JOINED(a, b)

// Blocks are numbered as they begin: who waits for a lower number waits for a block that runs.
struct Ticket {
  unsigned number, launch;
};

__device__ __forceinline__ Ticket take_ticket(unsigned long long* tickets) {
  __shared__ Ticket shared;
  if (threadIdx.x == 0) {
    const unsigned long long taken = atomicAdd(tickets, 1ull);
    shared = {unsigned(taken), unsigned(taken >> 32)};
    if (shared.number == gridDim.x - 1) // the last of this launch: the next one's begin at 0
      atomicAdd(tickets, (1ull << 32) - gridDim.x);
  }
  __syncthreads();
  return shared;
}

enum Told : unsigned { nothing, sum, sum_of_all };

// What a tile has told is one word, so that who sees a part of it sees all: below a sum, above the
// launch and what it is a sum of.
struct LookBack {
  unsigned long long* states;
  Ticket ticket;

  // Called by the first warp with the sum of its tile.
  __device__ __forceinline__ unsigned operator()(unsigned total) const {
    unsigned before = 0;
    if (ticket.number > 0) {
      tell(sum, total);
      bool of_all = false;
      for (int nearest = int(ticket.number) - 1; !of_all; nearest -= 32)
        of_all = add(nearest - int(threadIdx.x), before);
    }
    tell(sum_of_all, before + total);
    return before;
  }

private:
  __device__ __forceinline__ void tell(Told told, unsigned value) const {
    if (threadIdx.x == 0)
      static_cast<volatile unsigned long long*>(states)[ticket.number] =
          (unsigned long long)(ticket.launch << 2 | told) << 32 | value;
  }

  // What 32 tiles have told, down to the nearest that knows all before it.
  // @return whether there was one
  __device__ __forceinline__ bool add(int tile, unsigned& before) const {
    unsigned long long seen = (unsigned long long)(ticket.launch << 2 | sum_of_all) << 32;
    if (tile >= 0)
      do
        seen = static_cast<const volatile unsigned long long*>(states)[tile];
      while ((seen >> 32) % 4 == nothing || (unsigned(seen >> 32) ^ ticket.launch << 2) > 3);
    const unsigned ends = __ballot_sync(0xffffffffu, (seen >> 32) % 4 == sum_of_all);
    unsigned part = ends == 0 || threadIdx.x < __ffs(ends) ? unsigned(seen) : 0;
#pragma unroll
    for (int distance = 16; distance > 0; distance /= 2)
      part += __shfl_xor_sync(0xffffffffu, part, distance);
    before += part;
    return ends != 0;
  }
};

extern "C" __global__ void __launch_bounds__(block_size_x)
    scan_cub(const unsigned* __restrict__ values, unsigned* __restrict__ out,
             unsigned long long* states, unsigned long long* tickets, int n) {
  using BlockLoad = cub::BlockLoad<unsigned, block_size_x, ITEMS, cub::NAMED(BLOCK_LOAD_, ACCESS)>;
  using BlockScan = cub::BlockScan<unsigned, block_size_x, cub::SCAN>;
  using BlockStore =
      cub::BlockStore<unsigned, block_size_x, ITEMS, cub::NAMED(BLOCK_STORE_, ACCESS)>;

  __shared__ union {
    BlockLoad::TempStorage load;
    BlockScan::TempStorage scan;
    BlockStore::TempStorage store;
  } shared;

  const Ticket ticket = take_ticket(tickets);
  const int first = ticket.number * (block_size_x * ITEMS), there = n - first;
  const bool whole = there >= block_size_x * ITEMS;
  unsigned items[ITEMS];
  if (whole)
    BlockLoad(shared.load).Load(values + first, items);
  else
    BlockLoad(shared.load).Load(values + first, items, there, 0u);
  __syncthreads();
  LookBack look_back{states, ticket};
  BlockScan(shared.scan).InclusiveSum(items, items, look_back);
  __syncthreads();
  if (whole)
    BlockStore(shared.store).Store(out + first, items);
  else
    BlockStore(shared.store).Store(out + first, items, there);
}
