// Just enough of CUDA C++ to run a .cu of the catalogue on the host: the threads of a block take
// turns at barriers, blocks run one after the other. For tests of indexing, bounds and alignment.
#pragma once

#include "gridsmith/kernels/definition/geometry.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <stdexcept>

namespace emulated {

struct Index {
  unsigned x = 0, y = 0, z = 0;
};

extern Index thread_index, block_index, block_extent, grid_extent;

/// Runs `kernel` once per thread of the grid. @throws std::logic_error when some threads of a block
/// wait at a barrier that others never reach.
void launch(const gridsmith::Geometry& geometry, const std::function<void()>& kernel);
void barrier();

} // namespace emulated

struct alignas(8) float2 {
  float x, y;
};

struct alignas(16) float4 {
  float x, y, z, w;
};

inline float2 make_float2(float x, float y) {
  return {x, y};
}

inline float4 make_float4(float x, float y, float z, float w) {
  return {x, y, z, w};
}

template <class T>
T __ldcs(const T* from) {
  return *from;
}

template <class T>
void __stcs(T* to, T value) {
  *to = value;
}

inline unsigned atomicAdd(unsigned* to, unsigned value) {
  const unsigned before = *to;
  *to += value;
  return before;
}

using std::max;
using std::min;

#define __global__
#define __device__
#define __forceinline__ inline
#define __shared__ static
#define __align__(bytes) __attribute__((aligned(bytes)))
#define __launch_bounds__(...)
#define __syncthreads() emulated::barrier()
#define threadIdx emulated::thread_index
#define blockIdx emulated::block_index
#define blockDim emulated::block_extent
#define gridDim emulated::grid_extent

// The kernels are not written for the host's warnings.
#pragma GCC diagnostic ignored "-Wconversion"
#pragma GCC diagnostic ignored "-Wsign-conversion"
#pragma GCC diagnostic ignored "-Wsign-compare"
#pragma GCC diagnostic ignored "-Wshadow"
#pragma GCC diagnostic ignored "-Wunused-function"
