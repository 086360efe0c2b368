// y = A x in single precision, A row-major, m x n: each element of A is read once and used once.
//
// What it teaches: the low end of the roofline, where only the stream of A counts
// (dram__throughput.avg.pct_of_peak_sustained_elapsed), and what can keep a kernel from it. A thread
// for a row: the lanes of a warp read n elements apart, 32 sectors for a load
// (l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum / smsp__inst_executed_op_global_ld.sum), of which
// the L1 has to keep the rest for later. A warp or a block for a row reads side by side. x is read
// again for every row, from the L1: as many load instructions as A takes, fewer by ROWS where a team
// does several rows (smsp__inst_executed_op_global_ld.sum). Few long rows leave SMs without work
// until they are split, many short ones leave the lanes of a block
// (smsp__thread_inst_executed_per_inst_executed.ratio) and loads under way to want:
// smsp__average_warps_issue_stalled_long_scoreboard_per_issue_active.ratio.
//
//   VARIANT  by_thread, by_warp, by_block: the team that does rows
//   ROWS     of one team, together
//   WIDTH    elements of one load; divides n
//   LOADS    of one thread and row that are under way together
//   SPLIT    teams that share a row, each with a part of the columns; their sums are added to y,
//            which holds 0 before (SPLIT > 1)
//
// Right for any block of 32 * 2^k threads, which is left to Gridsmith (block_size_x). Grid
// (ceil(m / (ROWS * teams of a block)), SPLIT). Any m, n.
#define by_thread 0
#define by_warp 1
#define by_block 2

constexpr int team = VARIANT == by_thread ? 1 : VARIANT == by_warp ? 32 : block_size_x;

struct alignas(4 * WIDTH) Vector {
  float element[WIDTH];
};

__device__ __forceinline__ Vector load(const float* __restrict__ from, int i, int end) {
  return i < end ? reinterpret_cast<const Vector*>(from)[i] : Vector{};
}

// The products of this thread's part of the columns, for each row.
__device__ __forceinline__ void multiply(float (&sum)[ROWS], const float* __restrict__ a,
                                         const float* __restrict__ x, int row, int m, int n) {
  const int vectors = n / WIDTH, part = (vectors + SPLIT - 1) / SPLIT;
  const int end = min(vectors, int(blockIdx.y + 1) * part);
  for (int i = blockIdx.y * part + threadIdx.x % team; i < end; i += team * LOADS) {
    Vector of_x[LOADS], of_a[ROWS][LOADS];
#pragma unroll
    for (int l = 0; l < LOADS; ++l) {
      of_x[l] = load(x, i + l * team, end);
#pragma unroll
      for (int r = 0; r < ROWS; ++r) // past the last row that one again
        of_a[r][l] = load(a + size_t(min(row + r, m - 1)) * n, i + l * team, end);
    }
#pragma unroll
    for (int l = 0; l < LOADS; ++l)
#pragma unroll
      for (int r = 0; r < ROWS; ++r)
#pragma unroll
        for (int e = 0; e < WIDTH; ++e)
          sum[r] += of_a[r][l].element[e] * of_x[l].element[e];
  }
}

template <int lanes>
__device__ __forceinline__ float sum_of_lanes(float value) {
#pragma unroll
  for (int distance = lanes / 2; distance > 0; distance /= 2)
    value += __shfl_down_sync(0xffffffffu, value, distance);
  return value;
}

// The sums of a team; right in its first thread.
__device__ __forceinline__ void join_team(float (&sum)[ROWS]) {
  constexpr int warps = block_size_x / 32;
#pragma unroll
  for (int r = 0; r < ROWS; ++r)
    sum[r] = sum_of_lanes<(team < 32 ? team : 32)>(sum[r]);
  if constexpr (team > 32) {
    __shared__ float of_warp[ROWS][warps];
    if (threadIdx.x % 32 == 0)
#pragma unroll
      for (int r = 0; r < ROWS; ++r)
        of_warp[r][threadIdx.x / 32] = sum[r];
    __syncthreads();
    if (threadIdx.x < 32)
#pragma unroll
      for (int r = 0; r < ROWS; ++r)
        sum[r] = sum_of_lanes<warps>(of_warp[r][threadIdx.x % warps]);
  }
}

extern "C" __global__ void __launch_bounds__(block_size_x)
    gemv(const float* __restrict__ a, const float* __restrict__ x, float* __restrict__ y, int m,
         int n) {
  const int row = (blockIdx.x * (block_size_x / team) + threadIdx.x / team) * ROWS;
  if (row >= m) // a whole team
    return;
  float sum[ROWS] = {};
  multiply(sum, a, x, row, m, n);
  join_team(sum);
  if (threadIdx.x % team == 0)
#pragma unroll
    for (int r = 0; r < ROWS; ++r)
      if (row + r < m) {
        if constexpr (SPLIT > 1)
          atomicAdd(y + row + r, sum[r]);
        else
          y[row + r] = sum[r];
      }
}

// The reference: a warp for a row. Block 256, grid ceil(m / 8). The definition fills A and x with
// eighths from -1 to 1, whose products are multiples of 1/64, and their sums stay far below 2^18:
// floats hold them exactly, in any order, so that the tolerance is 0.
extern "C" __global__ void gemv_reference(const float* __restrict__ a, const float* __restrict__ x,
                                          float* __restrict__ y, int m, int n) {
  const int row = blockIdx.x * 8 + threadIdx.x / 32;
  if (row >= m)
    return;
  float sum = 0;
  for (int i = threadIdx.x % 32; i < n; i += 32)
    sum += a[size_t(row) * n + i] * x[i];
  for (int distance = 16; distance > 0; distance /= 2)
    sum += __shfl_down_sync(0xffffffffu, sum, distance);
  if (threadIdx.x % 32 == 0)
    y[row] = sum;
}
