// Transpose of an m x n matrix, row-major: out (n x m) = in^T, in the five steps of a course. The
// kernel is a template of the element type: transpose_steps.json has floats,
// transpose_steps_double.json doubles. The catalogue's transpose goes on from the last step.
//
// What it teaches: one cause at a time, each with the counter that names it.
//
//   STEP  rows      a thread for each row: a grid too small for the device (launch__grid_size,
//                   sm__warps_active.avg.pct_of_peak_sustained_active), and loads that touch a sector
//                   for each lane
//         elements  a thread for each element: the grid is large, but stores touch a sector for
//                   each lane (l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum /
//                   smsp__inst_executed_op_global_st.sum is 32, not 4)
//         tiles     through a tile in shared memory: whole sectors on both sides, but a column of
//                   the tile lies in one bank (l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum /
//                   smsp__inst_executed_op_shared_ld.sum is 32, not 1)
//         padded    as tiles, with a column more: no conflicts; each thread waits for one load
//         several   as padded, with TILE / ROWS elements for each thread: bytes in flight
//   TILE  threads along x, and edge of the tile
//   ROWS  threads along y: TILE for tiles and padded
//
// Block (TILE, ROWS), for rows (TILE * ROWS). Grid (ceil(n / TILE), ceil(m / ROWS)) with a thread for
// each element, (ceil(n / TILE), ceil(m / TILE)) with tiles, (ceil(m / (TILE * ROWS))) with rows.
// Any m and n.
#define rows 0
#define elements 1
#define tiles 2
#define padded 3
#define several 4

__device__ __forceinline__ size_t at(int row, int column, int length) {
  return (size_t)row * length + column;
}

#if STEP == rows

template <class T>
__device__ __forceinline__ void turn(const T* __restrict__ in, T* __restrict__ out, int m, int n) {
  const int row = blockIdx.x * (TILE * ROWS) + threadIdx.x;
  if (row < m)
    for (int column = 0; column < n; ++column)
      out[at(column, row, m)] = in[at(row, column, n)];
}

#elif STEP == elements

template <class T>
__device__ __forceinline__ void turn(const T* __restrict__ in, T* __restrict__ out, int m, int n) {
  const int row = blockIdx.y * ROWS + threadIdx.y, column = blockIdx.x * TILE + threadIdx.x;
  if (row < m && column < n)
    out[at(column, row, m)] = in[at(row, column, n)];
}

#else

template <class T>
__device__ __forceinline__ void turn(const T* __restrict__ in, T* __restrict__ out, int m, int n) {
  __shared__ T tile[TILE][TILE + (STEP == tiles ? 0 : 1)];
  const int row0 = blockIdx.y * TILE, column0 = blockIdx.x * TILE;
  const int x = threadIdx.x, y = threadIdx.y;
#pragma unroll
  for (int j = y; j < TILE; j += ROWS)
    if (row0 + j < m && column0 + x < n)
      tile[j][x] = in[at(row0 + j, column0 + x, n)];
  __syncthreads();
#pragma unroll
  for (int j = y; j < TILE; j += ROWS)
    if (column0 + j < n && row0 + x < m)
      out[at(column0 + j, row0 + x, m)] = tile[x][j];
}

#endif

template <class T>
__global__ void __launch_bounds__(TILE* ROWS)
    transpose(const T* __restrict__ in, T* __restrict__ out, int m, int n) {
  turn(in, out, m, n);
}

// The reference: one element per thread. Block (32, 8), grid (ceil(n / 32), ceil(m / 8)).
template <class T>
__global__ void transpose_reference(const T* __restrict__ in, T* __restrict__ out, int m, int n) {
  const int column = blockIdx.x * 32 + threadIdx.x, row = blockIdx.y * 8 + threadIdx.y;
  if (row < m && column < n)
    out[at(column, row, m)] = in[at(row, column, n)];
}
