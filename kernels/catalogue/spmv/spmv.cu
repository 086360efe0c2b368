// y = A x in single precision, A in compressed sparse rows (CSR): nonzero j of row r, with
// offsets[r] <= j < offsets[r + 1], is values[j] in column columns[j]. spmv.json has rows that are
// as good as equally long, spmv_skewed.json few that hold most.
//
// What it teaches: what to share out. A thread for a row: neighbouring lanes read a row's length
// apart (l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum / smsp__inst_executed_op_global_ld.sum), and
// the longest row of 32 decides how long the others idle
// (smsp__thread_inst_executed_per_inst_executed.ratio). Several lanes for a row read side by side,
// and idle where rows are shorter than that; of skewed rows any choice is wrong for some, and the
// longest row makes the kernel's tail (sm__warps_active.avg.pct_of_peak_sustained_active). The merge
// shares out rows and nonzeros alike: every thread takes ITEMS steps of the path on which the ends
// of rows are merged with the nonzeros (Merrill and Garland, 2016), whatever the rows are; it pays
// with a search, shared memory and barriers, which equal rows do not need. Reading what is needed
// once as a stream leaves the caches to x (lts__t_sectors_op_read.sum).
//
//   VARIANT  scalar   a thread for a row
//            vector   LANES threads for a row
//            merge    a thread for ITEMS ends of rows and nonzeros
//   LANES    threads of a row (vector; 1 otherwise)
//   ITEMS    steps of a thread (merge; 1 otherwise). Threads read shared memory about ITEMS words
//            apart: even numbers have bank conflicts
//   LOADS    cached, streamed: how values and columns are read
//
// Right for any block of whole warps, which is left to Gridsmith (block_size_x). Grid
// ceil(m * LANES / block_size_x), for merge blocks enough for m + nonzeros steps; y holds 0 before
// (merge). m + nonzeros < 2^31.
#define scalar 0
#define vector 1
#define merge 2

#define cached 0
#define streamed 1

// A, x and y.
struct Problem {
  const int* __restrict__ offsets;
  const int* __restrict__ columns;
  const float* __restrict__ values;
  const float* __restrict__ x;
  float* __restrict__ y;
  int m;

  __device__ __forceinline__ float product(int j) const {
    if constexpr (LOADS == streamed)
      return __ldcs(values + j) * x[__ldcs(columns + j)];
    else
      return values[j] * x[columns[j]];
  }
};

#if VARIANT == merge

constexpr int tile = block_size_x * ITEMS; // steps of a block

// A place on the path: so many ends of rows and so many nonzeros lie before it.
struct Place {
  int row, nonzero;
};

// After `steps` steps; end(r) is the end of row r, and a row ends after its last nonzero. A search
// on the diagonal: the first row whose end is not among the steps.
template <class End>
__device__ __forceinline__ Place place_after(int steps, int rows, int nonzeros, End end) {
  int first = max(0, steps - nonzeros), last = min(steps, rows);
  while (first < last) {
    const int middle = first + (last - first) / 2;
    if (end(middle) <= steps - 1 - middle)
      first = middle + 1;
    else
      last = middle;
  }
  return {first, steps - first};
}

// What lies on a block's part of the path, in shared memory: ends of rows, one more than lie on it,
// then products.
struct Tile {
  union {
    int end;
    float product;
  } item[tile + 1];
};

// Rows and nonzeros are counted from the tile's first.
struct Part {
  Place begin;
  int rows, nonzeros;

  __device__ __forceinline__ void load(Tile& shared, const Problem& problem) const {
    for (int i = threadIdx.x; i <= rows; i += block_size_x)
      shared.item[i].end =
          problem.offsets[min(begin.row + i + 1, problem.m)] - begin.nonzero; // past the last: any
#pragma unroll
    for (int k = 0; k < ITEMS; ++k)
      if (const int i = threadIdx.x + k * block_size_x; i < nonzeros)
        shared.item[rows + 1 + i].product = problem.product(begin.nonzero + i);
    __syncthreads();
  }
};

// The sum of a run of lanes with the same row up to this lane, whose rows ascend.
__device__ __forceinline__ float sum_of_run(int row, float sum) {
  const int lane = threadIdx.x % 32;
#pragma unroll
  for (int distance = 1; distance < 32; distance *= 2) {
    const int other_row = __shfl_up_sync(0xffffffffu, row, distance);
    const float other_sum = __shfl_up_sync(0xffffffffu, sum, distance);
    if (lane >= distance && other_row == row)
      sum += other_sum;
  }
  return sum;
}

// The steps of this thread. The first row that it ends may have begun in other threads, the row in
// which it stops goes on in others. Within a warp these sums are joined; rows that a warp begins and
// ends are its own, to the others it adds.
__device__ __forceinline__ void walk(const Tile& shared, const Part& part, float* __restrict__ y) {
  const int steps = part.rows + part.nonzeros;
  const int begin = min(int(threadIdx.x) * ITEMS, steps), end = min(begin + ITEMS, steps);
  Place place =
      place_after(begin, part.rows, part.nonzeros, [&](int row) { return shared.item[row].end; });
  const int first_row = place.row;
  float sum = 0.0f, first_sum = 0.0f;
#pragma unroll
  for (int k = 0; k < ITEMS; ++k)
    if (begin + k < end) {
      if (place.nonzero < shared.item[place.row].end) {
        sum += shared.item[part.rows + 1 + place.nonzero++].product;
      } else {
        if (place.row == first_row)
          first_sum = sum;
        else
          y[part.begin.row + place.row] = sum;
        ++place.row;
        sum = 0.0f;
      }
    }
  const int lane = threadIdx.x % 32, row_of_warp = __shfl_sync(0xffffffffu, first_row, 0);
  sum = sum_of_run(place.row, sum);
  const float before = __shfl_up_sync(0xffffffffu, sum, 1);
  if (place.row > first_row) {
    first_sum += lane > 0 ? before : 0.0f;
    if (first_row > row_of_warp)
      y[part.begin.row + first_row] = first_sum;
    else
      atomicAdd(y + part.begin.row + first_row, first_sum);
  }
  if (lane == 31 && sum != 0.0f)
    atomicAdd(y + part.begin.row + place.row, sum);
}

__device__ __forceinline__ void compute(const Problem& problem) {
  __shared__ Place border[2];
  __shared__ Tile shared;
  const int nonzeros = problem.offsets[problem.m], steps = problem.m + nonzeros;
  if (threadIdx.x < 2)
    border[threadIdx.x] = place_after(min(int(blockIdx.x + threadIdx.x) * tile, steps), problem.m,
                                      nonzeros, [&](int row) { return problem.offsets[row + 1]; });
  __syncthreads();
  const Place begin = border[0], end = border[1];
  const Part part = {begin, end.row - begin.row, end.nonzero - begin.nonzero};
  part.load(shared, problem);
  walk(shared, part, problem.y);
}

#else

__device__ __forceinline__ void compute(const Problem& problem) {
  const int thread = blockIdx.x * block_size_x + threadIdx.x, row = thread / LANES;
  float sum = 0.0f;
  if (row < problem.m) {
    const int end = problem.offsets[row + 1];
    for (int j = problem.offsets[row] + thread % LANES; j < end; j += LANES)
      sum += problem.product(j);
  }
#pragma unroll
  for (int distance = LANES / 2; distance > 0; distance /= 2)
    sum += __shfl_down_sync(0xffffffffu, sum, distance, LANES);
  if (row < problem.m && thread % LANES == 0)
    problem.y[row] = sum;
}

#endif

extern "C" __global__ void __launch_bounds__(block_size_x)
    spmv(const int* __restrict__ offsets, const int* __restrict__ columns,
         const float* __restrict__ values, const float* __restrict__ x, float* __restrict__ y,
         int m) {
  compute({offsets, columns, values, x, y, m});
}

// The reference: a warp for a row. Block 256, grid ceil(m / 8). The definition fills A and x with
// eighths from -1 to 1, whose products are multiples of 1/64, and their sums stay far below 2^18:
// floats hold them exactly, in any order, so that the tolerance is 0.
extern "C" __global__ void spmv_reference(const int* __restrict__ offsets,
                                          const int* __restrict__ columns,
                                          const float* __restrict__ values,
                                          const float* __restrict__ x, float* __restrict__ y,
                                          int m) {
  const int row = blockIdx.x * 8 + threadIdx.x / 32;
  if (row >= m)
    return;
  float sum = 0.0f;
  for (int j = offsets[row] + threadIdx.x % 32; j < offsets[row + 1]; j += 32)
    sum += values[j] * x[columns[j]];
  for (int distance = 16; distance > 0; distance /= 2)
    sum += __shfl_down_sync(0xffffffffu, sum, distance);
  if (threadIdx.x % 32 == 0)
    y[row] = sum;
}
