// Star stencil of radius 2 in two or three dimensions, single precision: every element becomes a
// weighted sum of itself and of its two neighbours in each direction of each axis; beyond the
// border lie zeros. The kernel is a template of the number of axes, and a definition names the
// instance: stencil.json the 2-D one, stencil_3d.json the 3-D one.
//
// What it teaches: each element is needed by 8 others (12 in 3-D), and what is tuned is where they
// find it. Straight from global memory each takes a load of its own
// (l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum) and the caches do the sharing. A tile in shared
// memory loads it once per block, and once more for each block in whose halo it lies
// (lts__t_sectors_op_read.sum): thin tiles pay most. A window that slides along the slowest axis
// has no halo on that axis and shares single planes, for fewer and longer threads
// (sm__warps_active.avg.pct_of_peak_sustained_active). dram__bytes_read.sum tells whether a plane
// was still in the L2 when its neighbours came. The weights are the same for all threads: literals
// and constant memory are operands of the arithmetic, global memory takes loads like any other
// (smsp__inst_executed_op_global_ld.sum).
//
//   VARIANT  direct   straight from global memory
//            tile     a block's elements and their halo in shared memory
//            window   a plane and its halo in shared memory, the slowest axis in registers
//   DEPTH    elements of one thread, along the slowest axis
//   WEIGHTS  literal, from_constant, from_global: where the weights are
//
// Right for any block of whole warps, which is left to Gridsmith (block_size_x, _y and in 3-D _z;
// the last is the slowest axis, and 1 for the window). The grid covers the elements, DEPTH times
// the block along the slowest axis. Any nx, ny, nz with nx * ny * nz < 2^31; in 2-D nz is 1.
#define direct 0
#define tile 1
#define window 2

#define literal 0
#define from_constant 1
#define from_global 2

#ifndef block_size_z
#define block_size_z 1 // in 2-D there is no such parameter
#endif

constexpr int radius = 2;

__constant__ float weights[1 + 3 * radius];

// Axis 0 is the fastest.
__device__ constexpr int block_extent(int axis) {
  return axis == 0 ? block_size_x : axis == 1 ? block_size_y : block_size_z;
}

__device__ __forceinline__ int thread_along(int axis) {
  return axis == 0 ? threadIdx.x : axis == 1 ? threadIdx.y : threadIdx.z;
}

__device__ __forceinline__ int block_along(int axis) {
  return axis == 0 ? blockIdx.x : axis == 1 ? blockIdx.y : blockIdx.z;
}

// A position in a row-major array.
template <int axes>
struct Point {
  int at[axes];
};

// A row-major array as the stencil sees it.
template <int axes>
struct Field {
  const float* __restrict__ values;
  int extent[axes];

  __device__ __forceinline__ int index(const Point<axes>& point) const {
    int index = point.at[axes - 1];
#pragma unroll
    for (int axis = axes - 2; axis >= 0; --axis)
      index = index * extent[axis] + point.at[axis];
    return index;
  }

  __device__ __forceinline__ bool holds(const Point<axes>& point) const {
    bool inside = true;
#pragma unroll
    for (int axis = 0; axis < axes; ++axis)
      inside = inside && unsigned(point.at[axis]) < unsigned(extent[axis]); // nor below zero
    return inside;
  }

  // The element that far from the point along the axis; zero beyond the border.
  __device__ __forceinline__ float at(Point<axes> point, int axis, int offset) const {
    point.at[axis] += offset;
    return holds(point) ? values[index(point)] : 0.0f;
  }
};

__device__ __forceinline__ float weight(const float* __restrict__ global_weights, int i) {
  if constexpr (WEIGHTS == literal)
    return 0.1f; // what the definition fills the others with
  else if constexpr (WEIGHTS == from_constant)
    return weights[i];
  else
    return global_weights[i];
}

// The stencil at one point; neighbour(axis, offset) is the element that far from it.
template <int axes, class Neighbour>
__device__ __forceinline__ float weighted(float centre, const float* __restrict__ global_weights,
                                          Neighbour neighbour) {
  float sum = weight(global_weights, 0) * centre;
#pragma unroll
  for (int axis = 0; axis < axes; ++axis)
#pragma unroll
    for (int d = 1; d <= radius; ++d)
      sum += weight(global_weights, radius * axis + d) * (neighbour(axis, -d) + neighbour(axis, d));
  return sum;
}

// Shared memory for a block's elements along `axes` axes, `steps` block extents along the last, and
// their halo.
template <int axes, int steps>
struct Tile {
  static __device__ constexpr int span(int axis) {
    return block_extent(axis) * (axis == axes - 1 ? steps : 1);
  }

  static __device__ constexpr int stride(int axis) {
    return axis == 0 ? 1 : stride(axis - 1) * (span(axis - 1) + 2 * radius);
  }

  float values[stride(axes)];

  // Where this thread's first element lies.
  static __device__ __forceinline__ int own() {
    int at = 0;
#pragma unroll
    for (int axis = 0; axis < axes; ++axis)
      at += (thread_along(axis) + radius) * stride(axis);
    return at;
  }

  // This thread's share of the halo at both ends of an axis, seen from its element at `here`, which
  // is the point of the field. A star needs no corners.
  template <int field_axes>
  __device__ __forceinline__ void load_halo(const Field<field_axes>& field,
                                            const Point<field_axes>& point, int here, int axis) {
    for (int t = thread_along(axis); t < radius; t += block_extent(axis)) {
      const int below = t - thread_along(axis) - radius;
      const int above = t - thread_along(axis) + span(axis);
      values[here + below * stride(axis)] = field.at(point, axis, below);
      values[here + above * stride(axis)] = field.at(point, axis, above);
    }
  }
};

#if VARIANT == direct

template <int axes>
__device__ __forceinline__ void compute(const Field<axes>& before, float* __restrict__ after,
                                        const float* __restrict__ global_weights,
                                        Point<axes> point) {
#pragma unroll
  for (int step = 0; step < DEPTH; ++step) {
    if (before.holds(point))
      after[before.index(point)] =
          weighted<axes>(before.at(point, 0, 0), global_weights,
                         [&](int axis, int offset) { return before.at(point, axis, offset); });
    point.at[axes - 1] += block_extent(axes - 1);
  }
}

#elif VARIANT == tile

template <int axes>
__device__ __forceinline__ void compute(const Field<axes>& before, float* __restrict__ after,
                                        const float* __restrict__ global_weights,
                                        Point<axes> point) {
  constexpr int slow = axes - 1;
  using Shared = Tile<axes, DEPTH>;
  __shared__ Shared shared;
  constexpr int step_stride = block_extent(slow) * Shared::stride(slow);
  const int first = Shared::own();
  shared.load_halo(before, point, first, slow);
  Point<axes> own = point;
#pragma unroll
  for (int step = 0; step < DEPTH; ++step, own.at[slow] += block_extent(slow)) {
    const int here = first + step * step_stride;
    shared.values[here] = before.at(own, 0, 0);
#pragma unroll
    for (int axis = 0; axis < slow; ++axis)
      shared.load_halo(before, own, here, axis);
  }
  __syncthreads();
#pragma unroll
  for (int step = 0; step < DEPTH; ++step, point.at[slow] += block_extent(slow)) {
    const float* const here = shared.values + first + step * step_stride;
    if (before.holds(point))
      after[before.index(point)] = weighted<axes>(*here, global_weights, [&](int axis, int offset) {
        return here[offset * Shared::stride(axis)];
      });
  }
}

#else

template <int axes>
__device__ __forceinline__ void compute(const Field<axes>& before, float* __restrict__ after,
                                        const float* __restrict__ global_weights,
                                        Point<axes> point) {
  constexpr int slow = axes - 1;
  using Plane = Tile<axes - 1, 1>;
  __shared__ Plane plane;
  const int here = Plane::own();
  float column[2 * radius + 1]; // of the point, from below to above
#pragma unroll
  for (int i = 0; i < 2 * radius; ++i)
    column[i + 1] = before.at(point, slow, i - radius);
#pragma unroll 2 * radius + 1
  for (int step = 0; step < DEPTH; ++step, ++point.at[slow]) {
#pragma unroll
    for (int i = 0; i < 2 * radius; ++i)
      column[i] = column[i + 1];
    column[2 * radius] = before.at(point, slow, radius);
    plane.values[here] = column[radius];
#pragma unroll
    for (int axis = 0; axis < slow; ++axis)
      plane.load_halo(before, point, here, axis);
    __syncthreads();
    if (before.holds(point))
      after[before.index(point)] =
          weighted<axes>(column[radius], global_weights, [&](int axis, int offset) {
            return axis == slow ? column[radius + offset]
                                : plane.values[here + offset * Plane::stride(axis)];
          });
    __syncthreads(); // before the next plane takes its place
  }
}

#endif

template <int axes>
__global__ void __launch_bounds__(block_size_x* block_size_y* block_size_z)
    stencil(const float* __restrict__ before, float* __restrict__ after,
            const float* __restrict__ global_weights, int nx, int ny, int nz) {
  const int extents[] = {nx, ny, nz};
  Field<axes> field{before};
  Point<axes> point;
#pragma unroll
  for (int axis = 0; axis < axes; ++axis) {
    field.extent[axis] = extents[axis];
    point.at[axis] = block_along(axis) * block_extent(axis) * (axis == axes - 1 ? DEPTH : 1) +
                     thread_along(axis);
  }
  compute(field, after, global_weights, point);
}

// The reference: one element per thread, any number of axes. Block (32, 8), grid (ceil(nx / 32),
// ceil(ny / 8), nz).
extern "C" __global__ void stencil_reference(const float* __restrict__ before,
                                             float* __restrict__ after,
                                             const float* __restrict__ global_weights, int nx,
                                             int ny, int nz) {
  const int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y, z = blockIdx.z;
  if (x >= nx || y >= ny)
    return;
  const auto at = [&](int dx, int dy, int dz) {
    const int i = x + dx, j = y + dy, k = z + dz;
    const bool inside = 0 <= i && i < nx && 0 <= j && j < ny && 0 <= k && k < nz;
    return inside ? before[(k * ny + j) * nx + i] : 0.0f;
  };
  float sum = global_weights[0] * at(0, 0, 0);
  for (int d = 1; d <= radius; ++d) {
    sum += global_weights[d] * (at(-d, 0, 0) + at(d, 0, 0)) +
           global_weights[radius + d] * (at(0, -d, 0) + at(0, d, 0));
    if (nz > 1) // in 2-D there are no such weights
      sum += global_weights[2 * radius + d] * (at(0, 0, -d) + at(0, 0, d));
  }
  after[(z * ny + y) * nx + x] = sum;
}
