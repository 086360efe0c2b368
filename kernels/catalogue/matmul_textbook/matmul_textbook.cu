// C = A * B in single precision as textbooks have it, row-major: A is m x k, B is k x n, C is m x n.
// Any m, n, k. The catalogue's matmul goes on from here.
//
// What it teaches: the first step, and how far it leads. A tile of TILE_WIDTH x TILE_WIDTH in shared
// memory lets every element that was loaded serve TILE_WIDTH times
// (l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum falls as 1 / TILE_WIDTH). Small tiles leave lanes
// empty and lines of a warp short; and once a tile is large enough, what counts is how many
// instructions surround a multiplication (smsp__inst_executed.sum falls when the loop is unrolled),
// and that both operands of each come from shared memory.
//
//   VARIANT     untiled  straight from global memory
//               tiled    tiles of A and B go through shared memory
//   TILE_WIDTH  edge of a block of threads and of a tile; 12 and 24 fill their warps, but not the
//               lines of memory
//   UNROLL      1: the loop over a tile, or over as many elements, is unrolled
//
// Block (TILE_WIDTH, TILE_WIDTH), grid (ceil(n / TILE_WIDTH), ceil(m / TILE_WIDTH)).
#define untiled 0
#define tiled 1

#define UNROLLED (UNROLL ? TILE_WIDTH : 1)

__device__ __forceinline__ size_t at(int row, int column, int columns) {
  return (size_t)row * columns + column;
}

#if VARIANT == untiled

__device__ __forceinline__ float product(const float* __restrict__ a, const float* __restrict__ b,
                                         int row, int column, int m, int n, int k) {
  float sum = 0.0f;
  if (row < m && column < n)
#pragma unroll UNROLLED
    for (int i = 0; i < k; ++i)
      sum += a[at(row, i, k)] * b[at(i, column, n)];
  return sum;
}

#else

__device__ __forceinline__ float product(const float* __restrict__ a, const float* __restrict__ b,
                                         int row, int column, int m, int n, int k) {
  __shared__ float tile_a[TILE_WIDTH][TILE_WIDTH], tile_b[TILE_WIDTH][TILE_WIDTH];
  const int x = threadIdx.x, y = threadIdx.y;
  float sum = 0.0f;
  for (int i0 = 0; i0 < k; i0 += TILE_WIDTH) {
    tile_a[y][x] = row < m && i0 + x < k ? a[at(row, i0 + x, k)] : 0.0f;
    tile_b[y][x] = i0 + y < k && column < n ? b[at(i0 + y, column, n)] : 0.0f;
    __syncthreads();
#pragma unroll UNROLLED
    for (int i = 0; i < TILE_WIDTH; ++i)
      sum += tile_a[y][i] * tile_b[i][x];
    __syncthreads();
  }
  return sum;
}

#endif

extern "C" __global__ void __launch_bounds__(TILE_WIDTH* TILE_WIDTH)
    matmul_textbook(const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ c,
                    int m, int n, int k) {
  const int row = blockIdx.y * TILE_WIDTH + threadIdx.y;
  const int column = blockIdx.x * TILE_WIDTH + threadIdx.x;
  const float sum = product(a, b, row, column, m, n, k);
  if (row < m && column < n)
    c[at(row, column, n)] = sum;
}

// The reference: one element per thread, summed in double. Block (32, 8), grid (ceil(n / 32),
// ceil(m / 8)).
extern "C" __global__ void matmul_reference(const float* __restrict__ a,
                                            const float* __restrict__ b, float* __restrict__ c,
                                            int m, int n, int k) {
  const int column = blockIdx.x * 32 + threadIdx.x, row = blockIdx.y * 8 + threadIdx.y;
  if (row >= m || column >= n)
    return;
  double sum = 0.0;
  for (int i = 0; i < k; ++i)
    sum += (double)a[at(row, i, k)] * b[at(i, column, n)];
  c[at(row, column, n)] = (float)sum;
}
