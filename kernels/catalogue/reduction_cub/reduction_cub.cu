// The sum of n floats by the block primitives of CUB, as somebody writes it who would rather tune
// than invent: blocks go through tiles, load them by cub::BlockLoad, join what their threads found
// by cub::BlockReduce, and add it to out, which is 0 before.
//
// What it teaches: primitives come with choices of their own, and this is how they are tuned: CUB's
// names are the values. How a tile is loaded decides what a request touches
// (l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum / smsp__inst_executed_op_global_ld.sum: direct
// loads are ITEMS words apart), or what shared memory has to turn
// (l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum); a sum does not care for the order, so that
// turning is for nothing. How the block joins its threads is seen only while tiles are few. The
// catalogue's `reduction` does the same by hand.
//
//   LOAD    of a tile: cub::BlockLoadAlgorithm
//   REDUCE  of the threads' sums: cub::BlockReduceAlgorithm
//   ITEMS   elements of a thread in a tile
//
// Any block of whole warps (block_size_x) and any grid (blocks_per_sm), which are left to Gridsmith.
// Any n < 2^31 - 2^14.
#include <cub/block/block_load.cuh>
#include <cub/block/block_reduce.cuh>

template <class T>
__global__ void __launch_bounds__(block_size_x)
    reduction_cub(const T* __restrict__ values, T* out, int n) {
  using BlockLoad = cub::BlockLoad<T, block_size_x, ITEMS, cub::LOAD>;
  using BlockReduce = cub::BlockReduce<T, block_size_x, cub::REDUCE>;

  __shared__ union {
    typename BlockLoad::TempStorage load;
    typename BlockReduce::TempStorage reduce;
  } shared;

  constexpr int tile = block_size_x * ITEMS;
  T sum = T(0);
  for (unsigned first = blockIdx.x * tile; first < n; first += gridDim.x * tile) {
    const int there = n - first;
    T items[ITEMS];
    if (there >= tile)
      BlockLoad(shared.load).Load(values + first, items);
    else
      BlockLoad(shared.load).Load(values + first, items, there, T(0));
#pragma unroll
    for (int j = 0; j < ITEMS; ++j)
      sum += items[j];
    __syncthreads(); // before its memory is used again
  }
  sum = BlockReduce(shared.reduce).Sum(sum);
  if (threadIdx.x == 0)
    atomicAdd(out, sum);
}
