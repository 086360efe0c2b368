// Convolution of an image with a dense filter of 7 x 7 weights, single precision: every element
// becomes the weighted sum of the 49 around it (the filter is not turned, as image processing has
// it); beyond the border lie zeros.
//
// What it teaches: 49 multiplications for 8 bytes are near the ridge of the roofline, so that it is
// decided by how many loads they take. Straight from memory that is one for each, all to be served
// by the L1 (l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum). A tile in shared memory only changes
// who serves them (smsp__inst_executed_op_shared_ld.sum): still one for each. What helps, in either
// place, is a thread with several elements of a column, which multiplies what it has loaded by up to
// 7 weights: with 8 elements 12 loads for each and not 49. The window is that to its end: one row
// after the other goes through shared memory, once, and 7 sums slide along in registers, for fewer
// and longer threads (sm__warps_active.avg.pct_of_peak_sustained_active). Weights as literals and
// from constant memory are operands of the arithmetic; from global memory they are loads, or
// registers where the compiler has 49 left.
//
//   VARIANT  direct   straight from global memory
//            tile     a block's elements and their halo in shared memory
//            window   row after row through shared memory, the sums of 7 rows in registers
//   ROWS     elements of one thread, below each other
//   WEIGHTS  literal, from_constant, from_global: where the weights are
//
// Right for any block of whole warps, which is left to Gridsmith (block_size_x, block_size_y, which
// is 1 for the window). Grid (ceil(nx / block_size_x), ceil(ny / (block_size_y * ROWS))). Any nx, ny
// with nx * ny < 2^31.
#define direct 0
#define tile 1
#define window 2

#define literal 0
#define from_constant 1
#define from_global 2

constexpr int radius = 3;
constexpr int taps = 2 * radius + 1;

__constant__ float weights[taps * taps];

__device__ __forceinline__ float weight(const float* __restrict__ global_weights, int row,
                                        int column) {
  const int i = row * taps + column;
  if constexpr (WEIGHTS == literal)
    return (i * 7 % 11 - 5) / 16.0f; // what the definition fills the others with
  else if constexpr (WEIGHTS == from_constant)
    return weights[i];
  else
    return global_weights[i];
}

struct Image {
  const float* __restrict__ values;
  int nx, ny;

  __device__ __forceinline__ bool holds(int x, int y) const {
    return unsigned(x) < unsigned(nx) && unsigned(y) < unsigned(ny); // nor below zero
  }

  __device__ __forceinline__ float at(int x, int y) const {
    return holds(x, y) ? values[y * nx + x] : 0.0f;
  }
};

#if VARIANT == window

// The element that a thread loads of a row, and those beside the block.
__device__ __forceinline__ void load_row(const Image& image, float* row, int x0, int y) {
  for (int i = threadIdx.x; i < block_size_x + 2 * radius; i += block_size_x)
    row[i] = image.at(x0 + i - radius, y);
}

__device__ __forceinline__ void compute(const Image& before, float* __restrict__ after,
                                        const float* __restrict__ global_weights, int x, int y0) {
  __shared__ float rows[2][block_size_x + 2 * radius]; // one is filled while the other is read
  float sum[taps] = {}; // of the rows in whose reach the newest one is, the lowest first
#pragma unroll taps
  for (int row = 0; row < ROWS + 2 * radius; ++row) {
    float* const newest = rows[row % 2];
    load_row(before, newest, x - threadIdx.x, y0 + row - radius);
    __syncthreads();
#pragma unroll
    for (int i = taps - 1; i > 0; --i)
      sum[i] = sum[i - 1];
    sum[0] = 0.0f;
#pragma unroll
    for (int column = 0; column < taps; ++column) {
      const float value = newest[threadIdx.x + column];
#pragma unroll
      for (int i = 0; i < taps; ++i)
        sum[i] += weight(global_weights, i, column) * value;
    }
    const int y = y0 + row - 2 * radius;
    if (row >= 2 * radius && before.holds(x, y))
      after[y * before.nx + x] = sum[taps - 1];
  }
}

#else

// A column of sums; read(column, row) is an element, counted from the upper left of the first one's
// neighbourhood, and is called once for each.
template <class Read>
__device__ __forceinline__ void convolve(float (&sum)[ROWS],
                                         const float* __restrict__ global_weights, Read read) {
#pragma unroll
  for (int row = 0; row < ROWS + 2 * radius; ++row)
#pragma unroll
    for (int column = 0; column < taps; ++column) {
      const float value = read(column, row);
#pragma unroll
      for (int i = 0; i < ROWS; ++i)
        if (0 <= row - i && row - i < taps)
          sum[i] += weight(global_weights, row - i, column) * value;
    }
}

__device__ __forceinline__ void compute(const Image& before, float* __restrict__ after,
                                        const float* __restrict__ global_weights, int x, int y0) {
  float sum[ROWS] = {};
#if VARIANT == direct
  convolve(sum, global_weights,
           [&](int column, int row) { return before.at(x + column - radius, y0 + row - radius); });
#else
  constexpr int width = block_size_x + 2 * radius, height = block_size_y * ROWS + 2 * radius;
  __shared__ float shared[height][width];
  const int left = x - threadIdx.x - radius, top = y0 - threadIdx.y * ROWS - radius;
  for (int row = threadIdx.y; row < height; row += block_size_y)
    for (int column = threadIdx.x; column < width; column += block_size_x)
      shared[row][column] = before.at(left + column, top + row);
  __syncthreads();
  convolve(sum, global_weights, [&](int column, int row) {
    return shared[threadIdx.y * ROWS + row][threadIdx.x + column];
  });
#endif
#pragma unroll
  for (int i = 0; i < ROWS; ++i)
    if (before.holds(x, y0 + i))
      after[(y0 + i) * before.nx + x] = sum[i];
}

#endif

extern "C" __global__ void __launch_bounds__(block_size_x* block_size_y)
    convolution(const float* __restrict__ before, float* __restrict__ after,
                const float* __restrict__ global_weights, int nx, int ny) {
  compute({before, nx, ny}, after, global_weights, blockIdx.x * block_size_x + threadIdx.x,
          (blockIdx.y * block_size_y + threadIdx.y) * ROWS);
}

// The reference: one element per thread. Block (32, 8), grid (ceil(nx / 32), ceil(ny / 8)). Sums of
// 49 products, whose magnitudes add to 9 at most, differ by the order by 49 * 9 * 2^-24 = 2.6e-5 at
// worst, and hardly by a tenth of it: the tolerance is 1e-5.
extern "C" __global__ void convolution_reference(const float* __restrict__ before,
                                                 float* __restrict__ after,
                                                 const float* __restrict__ global_weights, int nx,
                                                 int ny) {
  const int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
  if (x >= nx || y >= ny)
    return;
  float sum = 0.0f;
  for (int row = 0; row < taps; ++row)
    for (int column = 0; column < taps; ++column) {
      const int i = x + column - radius, j = y + row - radius;
      if (0 <= i && i < nx && 0 <= j && j < ny)
        sum += global_weights[row * taps + column] * before[j * nx + i];
    }
  after[y * nx + x] = sum;
}
