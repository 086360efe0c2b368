// Sorts each row of a matrix of unsigned integers, a block for a row, by the block primitives of
// CUB: cub::BlockRadixSort or cub::BlockMergeSort.
//
// What it teaches: a row that fits into a block is read and written once, and what counts is shared
// memory: a radix sort passes through it ceil(32 / BITS) times
// (l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum, ..._op_st.sum,
// smsp__inst_executed_op_shared_ld.sum), with counters that grow as 2^BITS for each thread and leave
// room for fewer blocks (sm__warps_active.avg.pct_of_peak_sustained_active), so that fewer threads
// with more ITEMS each are better; a merge sort compares, and its lanes look in different places
// (l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum). A sort does not care in which order
// its keys come, so that they are loaded striped; sorted keys lie in a thread one after the other,
// and are stored so (l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum /
// smsp__inst_executed_op_global_st.sum), by a transpose, or leave the last pass striped.
//
//   SORT      radix, merge
//   BITS      of a pass (4 for merge)
//   MEMOIZED  1: cub::BlockRadixSort keeps its counters in registers while it scans them
//   ITEMS     keys of a thread
//   STORE     blocked, transposed, striped: how the sorted row leaves (merge: one of the first two)
//
// Block of whole warps (merge: a power of two), left to Gridsmith (block_size_x), with
// block_size_x * ITEMS at least as many as columns. Grid rows. rows * columns < 2^31.
#include <cub/block/block_load.cuh>
#include <cub/block/block_merge_sort.cuh>
#include <cub/block/block_radix_sort.cuh>
#include <cub/block/block_store.cuh>

#define radix 0
#define merge 1

#define blocked 0
#define transposed 1
#define striped 2

#if SORT == radix
typedef cub::BlockRadixSort<unsigned, block_size_x, ITEMS, cub::NullType, BITS, MEMOIZED> Sort;
#else
typedef cub::BlockMergeSort<unsigned, block_size_x, ITEMS> Sort;
#endif

typedef cub::BlockStore<unsigned, block_size_x, ITEMS,
                        STORE == transposed ? cub::BLOCK_STORE_TRANSPOSE
                        : STORE == striped  ? cub::BLOCK_STORE_STRIPED
                                            : cub::BLOCK_STORE_DIRECT>
    Store;

extern "C" __global__ void __launch_bounds__(block_size_x)
    sort_rows_cub(const unsigned* __restrict__ in, unsigned* __restrict__ out, int columns) {
  __shared__ union {
    typename Sort::TempStorage sort;
    typename Store::TempStorage store;
  } shared;

  const size_t row = size_t(blockIdx.x) * columns;
  unsigned keys[ITEMS];
  cub::LoadDirectStriped<block_size_x>(threadIdx.x, in + row, keys, columns, 0xffffffffu);
#if SORT == merge
  Sort(shared.sort).Sort(keys, [](unsigned a, unsigned b) { return a < b; });
#elif STORE == striped
  Sort(shared.sort).SortBlockedToStriped(keys);
#else
  Sort(shared.sort).Sort(keys);
#endif
  __syncthreads();
  Store(shared.store).Store(out + row, keys, columns);
}
