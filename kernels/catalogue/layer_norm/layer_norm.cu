// Layer norm of the rows of a matrix, single precision: out = (in - mean) / sqrt(variance + 1e-5) *
// scale + shift, mean and variance those of the row, scale and shift by column. The matrix is
// row-major, rows x columns.
//
// What it teaches: as in softmax a row is needed more than once, and what is tuned is how often it
// is read (l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum), from the L2 or from DRAM
// (dram__bytes_read.sum); kept in registers it is read once. Here the arithmetic has a say in it: the
// variance in a pass of its own is exact and costs a pass, the two moments in one pass are cheap and
// cancel where the mean is large, and Welford's update takes one pass and cancels nothing, for a
// division of each element (smsp__inst_executed.sum); in registers the second pass is free, and the
// cheap forms have nothing left to win. Scale and shift are read for every row, from the L1 or L2. A
// grid of some blocks per SM, which stride over the rows, saves their start and costs the overlap of
// one block's barriers with the next one's loads
// (smsp__average_warps_issue_stalled_barrier_per_issue_active.ratio).
//
//   KEEP        in_memory     a row is read again for every pass
//               in_registers  a thread keeps its LOADS * WIDTH elements
//   STATISTICS  two_passes    the mean, then the mean of the squared differences from it
//               moments       the means of the elements and of their squares
//               welford       mean and squared differences, brought up to date by each element
//   WIDTH       elements of one load; divides columns
//   LOADS       of one thread and row (in_registers; 1 otherwise): block_size_x * WIDTH * LOADS is
//               no less than columns
//
// The block is left to Gridsmith: block_size_x threads for a row, a power of two, and block_size_y
// rows, more than 1 where a warp does a row; so is the grid, ceil(rows / block_size_y) or
// blocks_per_sm. Any rows, columns.
#define in_memory 0
#define in_registers 1

#define two_passes 0
#define moments 1
#define welford 2

constexpr float epsilon = 1e-5f;

struct alignas(4 * WIDTH) Vector {
  float element[WIDTH];
};

// A row, of which each thread has its part.
struct Row {
  const Vector* __restrict__ in;
  int vectors;

#if KEEP == in_registers
  Vector kept[LOADS];

  __device__ __forceinline__ void load() {
    for_each([this](int i, Vector& vector) { vector = in[i]; });
  }

  template <class Visit>
  __device__ __forceinline__ void for_each(Visit visit) {
#pragma unroll
    for (int l = 0; l < LOADS; ++l)
      if (const int i = threadIdx.x + l * block_size_x; i < vectors)
        visit(i, kept[l]);
  }
#else
  __device__ __forceinline__ void load() {}

  template <class Visit>
  __device__ __forceinline__ void for_each(Visit visit) const {
#pragma unroll 4
    for (int i = threadIdx.x; i < vectors; i += block_size_x) {
      Vector vector = in[i];
      visit(i, vector);
    }
  }
#endif

  template <class Visit>
  __device__ __forceinline__ void for_each_element(Visit visit) {
    for_each([&](int, const Vector& vector) {
#pragma unroll
      for (int e = 0; e < WIDTH; ++e)
        visit(vector.element[e]);
    });
  }
};

__device__ __forceinline__ float across(float value, int distance) {
  return __shfl_xor_sync(0xffffffffu, value, distance);
}

// What is summed over a row: two sums.
struct Sums {
  float first, second;

  __device__ __forceinline__ void join(const Sums& other) {
    first += other.first;
    second += other.second;
  }

  __device__ __forceinline__ Sums other(int distance) const {
    return {across(first, distance), across(second, distance)};
  }
};

// Mean and sum of squared differences from it, of so many elements.
struct Spread {
  float count, mean, squares;

  // Welford, 1962.
  __device__ __forceinline__ void add(float element) {
    count += 1.0f;
    const float difference = element - mean;
    mean += difference / count;
    squares += difference * (element - mean);
  }

  // Chan, Golub and LeVeque, 1979.
  __device__ __forceinline__ void join(const Spread& other) {
    const float both = count + other.count, difference = other.mean - mean;
    const float share = both > 0.0f ? other.count / both : 0.0f;
    mean += difference * share;
    squares += other.squares + difference * difference * count * share;
    count = both;
  }

  __device__ __forceinline__ Spread other(int distance) const {
    return {across(count, distance), across(mean, distance), across(squares, distance)};
  }
};

template <int lanes, class T>
__device__ __forceinline__ T join_lanes(T value) {
#pragma unroll
  for (int distance = lanes / 2; distance > 0; distance /= 2)
    value.join(value.other(distance));
  return value;
}

// The values of a row's threads, joined, in all of them.
template <class T>
__device__ __forceinline__ T join_row(T value) {
  constexpr int warps = block_size_x / 32;
  value = join_lanes<32>(value);
  if constexpr (warps > 1) {
    __shared__ T of_warp[warps];
    if (threadIdx.x % 32 == 0)
      of_warp[threadIdx.x / 32] = value;
    __syncthreads();
    value = join_lanes<warps>(of_warp[threadIdx.x % warps]);
    __syncthreads(); // before the next one's values take their place
  }
  return value;
}

struct Statistics {
  float mean, variance;
};

__device__ __forceinline__ Statistics statistics(Row& row, int columns) {
#if STATISTICS == two_passes
  Sums sums = {};
  row.for_each_element([&](float element) { sums.first += element; });
  const float mean = join_row(sums).first / columns;
  sums = {};
  row.for_each_element([&](float element) { sums.first += (element - mean) * (element - mean); });
  return {mean, join_row(sums).first / columns};
#elif STATISTICS == moments
  Sums sums = {};
  row.for_each_element([&](float element) {
    sums.first += element;
    sums.second += element * element;
  });
  sums = join_row(sums);
  const float mean = sums.first / columns;
  return {mean, fmaxf(sums.second / columns - mean * mean, 0.0f)};
#else
  Spread spread = {};
  row.for_each_element([&](float element) { spread.add(element); });
  spread = join_row(spread);
  return {spread.mean, spread.squares / columns};
#endif
}

extern "C" __global__ void __launch_bounds__(block_size_x* block_size_y)
    layer_norm(const float* __restrict__ in, const float* __restrict__ scale,
               const float* __restrict__ shift, float* __restrict__ out, int rows, int columns) {
  // The rows of a block's warps may end earlier or later: with more than one it has no barrier.
  for (int y = blockIdx.x * block_size_y + threadIdx.y; y < rows; y += gridDim.x * block_size_y) {
    Row row = {reinterpret_cast<const Vector*>(in + size_t(y) * columns), columns / WIDTH};
    Vector* const to = reinterpret_cast<Vector*>(out + size_t(y) * columns);
    row.load();
    const Statistics of_row = statistics(row, columns);
    const float factor = rsqrtf(of_row.variance + epsilon);
    row.for_each([&](int i, Vector vector) {
      const Vector scales = reinterpret_cast<const Vector*>(scale)[i];
      const Vector shifts = reinterpret_cast<const Vector*>(shift)[i];
#pragma unroll
      for (int e = 0; e < WIDTH; ++e)
        vector.element[e] =
            (vector.element[e] - of_row.mean) * factor * scales.element[e] + shifts.element[e];
      to[i] = vector;
    });
  }
}

// The reference: a block for a row, in double precision. Block 256, grid rows. Results are some
// units; the inputs have mean and deviation 1, so that the moments lose one bit, and sums of some
// hundred floats by one thread are off by some 1e-6 of themselves: the tolerance is 2e-5.
extern "C" __global__ void layer_norm_reference(const float* __restrict__ in,
                                                const float* __restrict__ scale,
                                                const float* __restrict__ shift,
                                                float* __restrict__ out, int, int columns) {
  __shared__ double joined[2][256];
  const float* const from = in + size_t(blockIdx.x) * columns;
  double sum = 0, squares = 0;
  for (int i = threadIdx.x; i < columns; i += 256) {
    sum += from[i];
    squares += double(from[i]) * from[i];
  }
  joined[0][threadIdx.x] = sum;
  joined[1][threadIdx.x] = squares;
  __syncthreads();
  for (int distance = 128; distance > 0; distance /= 2) {
    if (threadIdx.x < distance)
      for (auto& values : joined)
        values[threadIdx.x] += values[threadIdx.x + distance];
    __syncthreads();
  }
  const double mean = joined[0][0] / columns, variance = joined[1][0] / columns - mean * mean;
  for (int i = threadIdx.x; i < columns; i += 256)
    out[size_t(blockIdx.x) * columns + i] =
        float((from[i] - mean) / sqrt(variance + 1e-5) * scale[i] + shift[i]);
}
