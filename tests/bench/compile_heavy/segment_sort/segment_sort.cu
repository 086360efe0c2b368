// Sorts each segment of 4096 keys by itself, a segment in a block, with CUB: a small kernel behind
// headers that take more than a second of the compiler's time before the first instruction is made.
//
//   BLOCK      threads; each has 4096 / BLOCK keys
//   RADIX      bits of a pass
//   ORDER      keys as they come from memory: direct, vectorize (4 at once), transpose (through shared
//              memory, coalesced), striped (coalesced; the sort does not care where a key begins)
//   REUSE_SCAN sums of a thread's counters stay in registers between the two scans
//   INNER_SCAN raking or warp_scans
#include <cub/block/block_load.cuh>
#include <cub/block/block_radix_sort.cuh>
#include <cub/block/block_store.cuh>

#define direct 0
#define vectorize 1
#define transpose 2
#define striped 3
#define raking 0
#define warp_scans 1

constexpr int segment = 4096, items = segment / BLOCK;

constexpr cub::BlockLoadAlgorithm load_algorithm =
    ORDER == direct      ? cub::BLOCK_LOAD_DIRECT
    : ORDER == vectorize ? cub::BLOCK_LOAD_VECTORIZE
    : ORDER == transpose ? cub::BLOCK_LOAD_TRANSPOSE
                         : cub::BLOCK_LOAD_STRIPED;
constexpr cub::BlockStoreAlgorithm store_algorithm =
    ORDER == direct      ? cub::BLOCK_STORE_DIRECT
    : ORDER == vectorize ? cub::BLOCK_STORE_VECTORIZE
    : ORDER == transpose ? cub::BLOCK_STORE_TRANSPOSE
                         : cub::BLOCK_STORE_STRIPED;

using Load = cub::BlockLoad<unsigned, BLOCK, items, load_algorithm>;
using Store = cub::BlockStore<unsigned, BLOCK, items, store_algorithm>;
using Sort = cub::BlockRadixSort<unsigned, BLOCK, items, cub::NullType, RADIX, REUSE_SCAN != 0,
                                 INNER_SCAN == raking ? cub::BLOCK_SCAN_RAKING
                                                      : cub::BLOCK_SCAN_WARP_SCANS>;

extern "C" __global__ void __launch_bounds__(BLOCK)
    segment_sort(const unsigned* __restrict__ before, unsigned* __restrict__ after) {
  __shared__ union {
    typename Load::TempStorage load;
    typename Store::TempStorage store;
    typename Sort::TempStorage sort;
  } shared;
  unsigned keys[items];
  Load(shared.load).Load(before + blockIdx.x * segment, keys);
  __syncthreads();
#if ORDER == striped
  Sort(shared.sort).SortBlockedToStriped(keys);
#else
  Sort(shared.sort).Sort(keys);
#endif
  __syncthreads();
  Store(shared.store).Store(after + blockIdx.x * segment, keys);
}
