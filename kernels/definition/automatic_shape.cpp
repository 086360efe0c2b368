// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/kernels/definition/automatic_shape.hpp"

#include "gridsmith/kernels/definition/geometry.hpp"

#include <algorithm>
#include <array>
#include <set>

namespace gridsmith {
namespace {

struct Limits {
  int warp;
  int threads;
  std::array<int, 3> extents;
};

Limits limits_of(const AutomaticShape& shape, const Device& device) {
  Limits limits{std::max(1, device.warp_size), 1024, {1024, 1024, 64}};
  if (device.max_threads_per_block > 0)
    limits.threads = device.max_threads_per_block;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    if (device.max_block_extent[axis] > 0)
      limits.extents[axis] = device.max_block_extent[axis];
    if (static_cast<int>(axis) >= shape.dimensions)
      limits.extents[axis] = 1;
    limits.extents[axis] = std::min(limits.extents[axis], limits.threads);
  }
  return limits;
}

using ExtentSets = std::array<std::set<int>, 3>;

/// Extents of every shape with exactly this many threads.
void add_shapes(int threads, const Limits& limits, ExtentSets& extents) {
  for (int z = 1; z <= limits.extents[2]; ++z) {
    if (threads % z)
      continue;
    for (int y = 1; y <= std::min(limits.extents[1], threads / z); ++y) {
      const int x = threads / z / y;
      if ((threads / z) % y || x > limits.extents[0])
        continue;
      extents[0].insert(x);
      extents[1].insert(y);
      extents[2].insert(z);
    }
  }
}

} // namespace

AxisCover axis_cover(const KernelDefinition& definition, std::size_t axis) {
  if (!definition.automatic)
    return axis == 0 ? AxisCover::by_threads : AxisCover::by_blocks;
  return static_cast<int>(axis) < definition.automatic->dimensions ? AxisCover::by_threads
                                                                   : AxisCover::once;
}

std::vector<std::string> automatic_names(const std::optional<AutomaticShape>& shape) {
  if (!shape)
    return {};
  std::vector<std::string> names(block_names.begin(), block_names.begin() + shape->dimensions);
  if (!shape->blocks_per_sm.empty())
    names.emplace_back("blocks_per_sm");
  return names;
}

std::vector<Parameter> automatic_parameters(const AutomaticShape& shape, const Device& device) {
  const Limits limits = limits_of(shape, device);
  ExtentSets extents;
  for (int threads = limits.warp; threads <= limits.threads; threads += limits.warp)
    add_shapes(threads, limits, extents);
  std::vector<Parameter> parameters;
  for (const std::string& name : automatic_names(shape)) {
    Parameter parameter{name, {}};
    if (name == "blocks_per_sm")
      for (const int blocks : shape.blocks_per_sm)
        parameter.values.emplace_back(std::int64_t{blocks});
    else
      for (const int extent : extents[parameters.size()])
        parameter.values.emplace_back(std::int64_t{extent});
    parameters.push_back(std::move(parameter));
  }
  return parameters;
}

std::vector<Constraint> automatic_constraints(const AutomaticShape& shape, const Device& device) {
  if (shape.dimensions < 2) // one extent: its values are multiples already
    return {};
  std::string text;
  for (int axis = 0; axis < shape.dimensions; ++axis)
    text += (axis ? " * " : "") + std::string(block_names[static_cast<std::size_t>(axis)]);
  text += " % " + std::to_string(std::max(1, device.warp_size)) + " == 0";
  return {{Expression::parse(text), text}};
}

} // namespace gridsmith
