// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/tuner/cli/definitions/launch_remarks.hpp"

#include "gridsmith/base/text_layout.hpp"
#include "gridsmith/kernels/definition/unused_parameters.hpp"
#include "gridsmith/kernels/source/words.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace gridsmith {
namespace {

/// 0 of a block of one thread.
std::size_t dimensions_of(const Geometry& geometry) {
  std::size_t dimensions = 3;
  while (dimensions > 0 && geometry.block[dimensions - 1] == 1)
    --dimensions;
  return dimensions;
}

/// "1024 blocks along z, where a block has one thread"
std::string blocks_text(const KernelInstance& instance, const Geometry& geometry,
                        std::size_t axis) {
  const KernelDefinition& definition = instance.definition;
  const auto& extents = instance.problem.extents;
  const bool said = definition.has_grid_div() ? definition.grid_div[axis].has_value()
                                              : definition.grid[axis].has_value();
  const bool extent = !said && axis < extents.size() && extents[axis] == geometry.grid[axis];
  return fmt::format("{} along {}, where a block has one thread{}",
                     counted(static_cast<std::uint64_t>(geometry.grid[axis]), "block"), "xyz"[axis],
                     extent ? fmt::format(": extent {} itself, as neither GridDiv nor GlobalSize "
                                          "mentions it",
                                          axis)
                            : "");
}

/// In code, not in a comment: "extern __shared__".
bool declares_dynamic_shared(const KernelInstance& instance) {
  return instance.source && is_in_code(instance.source->main.text, "extern", "__shared__");
}

} // namespace

std::vector<Remark> launch_remarks(const KernelInstance& instance, const Geometry& geometry) {
  const std::string file = instance.definition.file.string();
  std::vector<Remark> remarks;
  for (const std::string& name : unused_parameters(instance))
    remarks.push_back({false, fmt::format("{}: {}", file, unused_text(instance, name))});
  for (const std::string& name : parameters_of_conditions_alone(instance))
    remarks.push_back(
        {false, fmt::format("{}: parameter {} appears only in conditions, so it changes no launch; "
                            "is its name spelled correctly in {}?",
                            file, name, instance.source->main.name)});
  if (!instance.definition.dynamic_shared_bytes && declares_dynamic_shared(instance))
    remarks.push_back(
        {false, fmt::format("{}: {} declares extern __shared__ memory, and without "
                            "KernelSpecification.SharedMemory a launch has 0 bytes of it",
                            file, instance.source->main.name)});
  // A block of one thread is a choice: then every axis would be named.
  const std::size_t first = std::max<std::size_t>(1, dimensions_of(geometry));
  for (std::size_t axis = first; axis < 3; ++axis)
    if (geometry.grid[axis] > 1)
      remarks.push_back(
          {false, fmt::format("{}: {}", file, blocks_text(instance, geometry, axis))});
  return remarks;
}

} // namespace gridsmith
