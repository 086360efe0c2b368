// Softmax of the rows of a matrix, single precision: out = exp(in - largest) / sum of these, largest
// and sum those of the row. The matrix is row-major, rows x columns.
//
// What it teaches: a row is needed three times, for its largest element, for the sum and for the
// result, and the arithmetic is nothing beside it; what is tuned is from where it comes the second
// time. While the rows that are under way fit the L2, passes over memory cost L1 and L2 traffic
// (l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum) but hardly dram__bytes_read.sum, and are little
// slower; rows of 512 KiB do not fit, and every pass is one over DRAM. Held in registers or in
// shared memory a row is read once, as long as it fits there: registers are free until they cost
// residency or spill (sm__warps_active.avg.pct_of_peak_sustained_active). The online form joins
// largest and sum in one pass for some exponentials more. A warp for a row needs no barrier
// (smsp__average_warps_issue_stalled_barrier_per_issue_active.ratio), a block for a row has more
// loads under way where rows are few.
//
//   VARIANT  three_passes  one for the largest, one for the sum, one for the result
//            online        one for both: what was summed is scaled when a larger element comes
//            in_registers  one pass; a thread keeps its LOADS * WIDTH elements
//            in_shared     one pass; a thread keeps its elements in shared memory
//   WIDTH    elements of one load; divides columns
//   LOADS    of one thread (in_registers; 1 otherwise): block_size_x * WIDTH * LOADS >= columns
//   EXP      accurate      expf
//            fast          __expf, two units in the last place and some more far from zero
//
// The block is left to Gridsmith: block_size_x threads for a row, a power of two, and block_size_y
// rows, more than 1 where a warp does a row. Grid ceil(rows / block_size_y); dynamic shared memory
// (in_shared) 4 * columns * block_size_y bytes. Any rows, columns.
#define three_passes 0
#define online 1
#define in_registers 2
#define in_shared 3

#define accurate 0
#define fast 1

constexpr float lowest = -3.402823466e38f; // not infinity: its difference from itself is 0

struct alignas(4 * WIDTH) Vector {
  float element[WIDTH];
};

__device__ __forceinline__ float power_of_e(float x) {
  return EXP == fast ? __expf(x) : expf(x);
}

struct Max {
  __device__ __forceinline__ float operator()(float a, float b) const { return fmaxf(a, b); }
};

struct Sum {
  __device__ __forceinline__ float operator()(float a, float b) const { return a + b; }
};

// Some elements' largest, and the sum of exp(element - largest).
struct Share {
  float largest, sum;

  __device__ __forceinline__ void add(const Vector& vector) {
    float next = largest;
#pragma unroll
    for (int e = 0; e < WIDTH; ++e)
      next = fmaxf(next, vector.element[e]);
    sum *= power_of_e(largest - next);
#pragma unroll
    for (int e = 0; e < WIDTH; ++e)
      sum += power_of_e(vector.element[e] - next);
    largest = next;
  }
};

struct Join {
  __device__ __forceinline__ Share operator()(const Share& a, const Share& b) const {
    const float largest = fmaxf(a.largest, b.largest);
    return {largest,
            a.sum * power_of_e(a.largest - largest) + b.sum * power_of_e(b.largest - largest)};
  }
};

__device__ __forceinline__ float across(float value, int distance) {
  return __shfl_xor_sync(0xffffffffu, value, distance);
}

__device__ __forceinline__ Share across(const Share& value, int distance) {
  return {across(value.largest, distance), across(value.sum, distance)};
}

template <int lanes, class T, class Operation>
__device__ __forceinline__ T join_lanes(T value, Operation operation) {
#pragma unroll
  for (int distance = lanes / 2; distance > 0; distance /= 2)
    value = operation(value, across(value, distance));
  return value;
}

// The values of a row's threads, joined, in all of them. Called once for an operation: each has
// shared memory of its own, so that one barrier is enough.
template <class T, class Operation>
__device__ __forceinline__ T join_row(T value, Operation operation) {
  constexpr int warps = block_size_x / 32;
  value = join_lanes<32>(value, operation);
  if constexpr (warps > 1) {
    __shared__ T of_warp[warps];
    if (threadIdx.x % 32 == 0)
      of_warp[threadIdx.x / 32] = value;
    __syncthreads();
    value = join_lanes<warps>(of_warp[threadIdx.x % warps], operation);
  }
  return value;
}

// A row, and what a thread does with its part.
struct Row {
  const Vector* __restrict__ in;
  Vector* __restrict__ out;
  int vectors;

  template <class Visit>
  __device__ __forceinline__ void for_each(Visit visit) const {
#pragma unroll 4
    for (int i = threadIdx.x; i < vectors; i += block_size_x)
      visit(i);
  }

  __device__ __forceinline__ void write(const Share& whole) const {
    const float factor = 1.0f / whole.sum;
    for_each([&](int i) {
      Vector vector = in[i];
#pragma unroll
      for (int e = 0; e < WIDTH; ++e)
        vector.element[e] = power_of_e(vector.element[e] - whole.largest) * factor;
      out[i] = vector;
    });
  }
};

#if VARIANT == three_passes

__device__ __forceinline__ void compute(const Row& row) {
  Share whole = {lowest, 0.0f};
  row.for_each([&](int i) {
    const Vector vector = row.in[i];
#pragma unroll
    for (int e = 0; e < WIDTH; ++e)
      whole.largest = fmaxf(whole.largest, vector.element[e]);
  });
  whole.largest = join_row(whole.largest, Max());
  row.for_each([&](int i) {
    const Vector vector = row.in[i];
#pragma unroll
    for (int e = 0; e < WIDTH; ++e)
      whole.sum += power_of_e(vector.element[e] - whole.largest);
  });
  whole.sum = join_row(whole.sum, Sum());
  row.write(whole);
}

#elif VARIANT == online

__device__ __forceinline__ void compute(const Row& row) {
  Share own = {lowest, 0.0f};
  row.for_each([&](int i) { own.add(row.in[i]); });
  row.write(join_row(own, Join()));
}

#else

// The vectors that a thread keeps, each for itself: no barrier.
struct Held {
#if VARIANT == in_registers
  Vector vector[LOADS];

  template <class Visit>
  __device__ __forceinline__ void for_each(int vectors, Visit visit) {
#pragma unroll
    for (int l = 0; l < LOADS; ++l)
      if (const int i = threadIdx.x + l * block_size_x; i < vectors)
        visit(i, vector[l]);
  }
#else
  Vector* vector;

  template <class Visit>
  __device__ __forceinline__ void for_each(int vectors, Visit visit) {
#pragma unroll 4
    for (int i = threadIdx.x; i < vectors; i += block_size_x)
      visit(i, vector[i]);
  }
#endif
};

__device__ __forceinline__ void compute(const Row& row) {
#if VARIANT == in_registers
  Held held;
#else
  extern __shared__ float4 rows[];
  Held held = {reinterpret_cast<Vector*>(rows) + threadIdx.y * row.vectors};
#endif
  float largest = lowest, sum = 0.0f;
  held.for_each(row.vectors, [&](int i, Vector& vector) { vector = row.in[i]; });
  held.for_each(row.vectors, [&](int, Vector& vector) {
#pragma unroll
    for (int e = 0; e < WIDTH; ++e)
      largest = fmaxf(largest, vector.element[e]);
  });
  largest = join_row(largest, Max());
  held.for_each(row.vectors, [&](int, Vector& vector) {
#pragma unroll
    for (int e = 0; e < WIDTH; ++e)
      sum += vector.element[e] = power_of_e(vector.element[e] - largest);
  });
  const float factor = 1.0f / join_row(sum, Sum());
  held.for_each(row.vectors, [&](int i, Vector& vector) {
#pragma unroll
    for (int e = 0; e < WIDTH; ++e)
      vector.element[e] *= factor;
    row.out[i] = vector;
  });
}

#endif

extern "C" __global__ void __launch_bounds__(block_size_x* block_size_y)
    softmax(const float* __restrict__ in, float* __restrict__ out, int rows, int columns) {
  const int row = blockIdx.x * block_size_y + threadIdx.y;
  if (row >= rows) // a whole warp: the others of the block wait for none
    return;
  const size_t first = size_t(row) * columns;
  compute({reinterpret_cast<const Vector*>(in + first), reinterpret_cast<Vector*>(out + first),
           columns / WIDTH});
}

// The reference: a block for a row, in double precision. Block 256, grid rows. Nothing cancels, so
// that the tolerance is relative: sums of up to 4096 floats by one thread, each rounded, and
// exponentials of differences up to 16 may be off by some 1e-5.
extern "C" __global__ void softmax_reference(const float* __restrict__ in, float* __restrict__ out,
                                             int rows, int columns) {
  __shared__ double joined[256];
  const float* const from = in + size_t(blockIdx.x) * columns;
  double sum = 0;
  for (int i = threadIdx.x; i < columns; i += 256)
    sum += exp(double(from[i])); // of no more than exp(8): none is too large
  joined[threadIdx.x] = sum;
  __syncthreads();
  for (int distance = 128; distance > 0; distance /= 2) {
    if (threadIdx.x < distance)
      joined[threadIdx.x] += joined[threadIdx.x + distance];
    __syncthreads();
  }
  for (int i = threadIdx.x; i < columns; i += 256)
    out[size_t(blockIdx.x) * columns + i] = float(exp(double(from[i])) / joined[0]);
}
