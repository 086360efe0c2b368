// SPDX-License-Identifier: Apache-2.0
// What of a launch its author may not have meant.
#pragma once

#include "gridsmith/kernels/definition/geometry.hpp"
#include "gridsmith/kernels/definition/instance.hpp"

#include <vector>

namespace gridsmith {

/// Notes: parameters that nothing asks for, and axes of the grid that lie beyond the block's dimensions, so
/// that each of their blocks has one thread there.
std::vector<Remark> launch_remarks(const KernelInstance& instance, const Geometry& geometry);

} // namespace gridsmith
