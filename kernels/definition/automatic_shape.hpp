// SPDX-License-Identifier: Apache-2.0
// Block and grid shapes that a kernel leaves to Gridsmith.
#pragma once

#include "gridsmith/kernels/definition/definition.hpp"

#include <optional>
#include <string>
#include <vector>

namespace gridsmith {

/// How blocks cover the extent of an axis where neither GridDiv nor GlobalSize says it.
enum class AxisCover {
  by_threads, ///< a thread an element: divided by the block's extent
  by_blocks,  ///< a block an element: Kernel Tuner's y and z
  once,       ///< one block, whatever the extent is: the kernel goes along it itself
};

/// An automatic shape covers as many extents as it has dimensions: another extent may be anything, such
/// as the length of a sum, for which blocks along z would do the same work again.
AxisCover axis_cover(const KernelDefinition& definition, std::size_t axis);

/// block_size_x, … (as many as dimensions) and blocks_per_sm where choices are listed; empty when
/// the kernel has its own geometry.
std::vector<std::string> automatic_names(const std::optional<AutomaticShape>& shape);

/// The parameters of those names: every extent that occurs in some shape the device allows whose
/// thread count is a multiple of the warp. A device that does not know its limits counts as one
/// with 1024 threads per block and extents 1024, 1024 and 64 (every device since compute
/// capability 2.0).
std::vector<Parameter> automatic_parameters(const AutomaticShape& shape, const Device& device);

/// That the thread count is a multiple of the warp. The device's limit on threads per block is
/// every kernel's, and added elsewhere.
std::vector<Constraint> automatic_constraints(const AutomaticShape& shape, const Device& device);

} // namespace gridsmith
