// Variants of the catalogue's kernels, compiled for the host.
#pragma once

#include "gridsmith/base/value.hpp"
#include "gridsmith/kernels/definition/geometry.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace emulated {

struct Variant {
  std::string kernel;                     ///< of the catalogue
  gridsmith::Configuration configuration; ///< the macros it was compiled with
  /// Inputs and extents as in kernels/definition/references.hpp; `output` is filled by the caller.
  void (*run)(const gridsmith::Geometry& geometry, const std::vector<std::int64_t>& extents,
              const std::vector<const void*>& inputs, void* output);
};

std::vector<Variant> transpose_variants();
std::vector<Variant> matmul_variants();
std::vector<Variant> other_variants();

} // namespace emulated
