// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/search/models/features.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <utility>

namespace gridsmith {
namespace {

// Weights before anything was measured: squared inverse length scales. One power of two of a block
// or tile extent changes cost about as much as a switch; sums of several are smoother, and how
// often 2 divides a number changes it least. Fitted weights leave these where data say so; the
// search is not sensitive to a factor of two in any of them (tests/bench/search.md).
constexpr float toggle_weight = 0.12f;
constexpr float block_weight = 0.06f;
constexpr float tile_weight = 0.1f;
constexpr float other_weight = 0.08f;
constexpr float divisor_weight = 0.02f;
constexpr float threads_weight = 0.04f;
constexpr float work_weight = 0.04f;
constexpr float extent_weight = 0.02f;
constexpr int most_halvings = 5; // a multiple of 32 is as good as it gets: a warp

bool is_text(const Parameter& parameter) {
  return std::any_of(parameter.values.begin(), parameter.values.end(),
                     [](const Value& value) { return std::isnan(to_number(value)); });
}

/// Logarithm to base 2 where all values allow it, of 1 + value where zero is among them.
std::vector<float> scaled_values(const Parameter& parameter) {
  std::vector<double> numbers;
  for (const Value& value : parameter.values)
    numbers.push_back(to_number(value));
  const double least = *std::min_element(numbers.begin(), numbers.end());
  const double most = *std::max_element(numbers.begin(), numbers.end());
  std::vector<float> out;
  for (const double number : numbers) {
    if (least > 0)
      out.push_back(static_cast<float>(std::log2(number)));
    else if (least == 0)
      out.push_back(static_cast<float>(std::log2(1 + number)));
    else // negative values have no scale of their own: spread over four units
      out.push_back(static_cast<float>(4 * (number - least) / (most - least)));
  }
  return out;
}

float halvings(double number) {
  if (!(number >= 1) || number != std::floor(number) || number > 0x1p62)
    return 0;
  const int zeros = std::countr_zero(static_cast<std::uint64_t>(number));
  return static_cast<float>(std::min(zeros, most_halvings));
}

bool all_powers_of_two(const Parameter& parameter) {
  return std::all_of(parameter.values.begin(), parameter.values.end(), [](const Value& value) {
    const double number = to_number(value);
    return number == 0 || (number >= 1 && std::exp2(std::round(std::log2(number))) == number);
  });
}

float weight_of(Role role) {
  switch (role) {
  case Role::block:
    return block_weight;
  case Role::tile:
  case Role::group_tile:
    return tile_weight;
  case Role::toggle:
    return toggle_weight;
  case Role::other:
    break;
  }
  return other_weight;
}

std::vector<ParameterRole> named_roles(const std::vector<Parameter>& parameters) {
  std::vector<ParameterRole> roles;
  for (const Parameter& parameter : parameters)
    roles.push_back(role_of(parameter));
  return roles;
}

} // namespace

FeatureMap::FeatureMap(const std::vector<Parameter>& parameters)
    : FeatureMap(parameters, named_roles(parameters)) {
}

FeatureMap::FeatureMap(const std::vector<Parameter>& parameters,
                       const std::vector<ParameterRole>& roles) {
  for (std::size_t p = 0; p < parameters.size(); ++p) {
    add_extent(parameters[p], p, roles[p]);
    if (parameters[p].values.size() > 1)
      add_parameter(parameters[p], p, roles[p].role);
  }
  add_products();
}

std::size_t FeatureMap::add_feature(std::string name, float weight) {
  features_.push_back({std::move(name), weight});
  return features_.size() - 1;
}

void FeatureMap::add_parameter(const Parameter& parameter, std::size_t index, Role role) {
  const std::size_t count = parameter.values.size();
  if (count == 2) { // two values are a switch, whatever they are
    parts_.push_back({index, add_feature(parameter.name, toggle_weight), {0, 1}});
    return;
  }
  if (is_text(parameter)) { // all different values equally far apart: 1 in squared distance
    for (std::size_t v = 0; v < count; ++v) {
      std::vector<float> values(count, 0.0f);
      values[v] = std::sqrt(0.5f);
      parts_.push_back(
          {index, add_feature(parameter.name + "=" + to_text(parameter.values[v]), toggle_weight),
           std::move(values)});
    }
    return;
  }
  parts_.push_back({index, add_feature(parameter.name, weight_of(role)), scaled_values(parameter)});
  if (all_powers_of_two(parameter))
    return; // the logarithm says it already
  std::vector<float> divisors;
  for (const Value& value : parameter.values)
    divisors.push_back(halvings(to_number(value)));
  if (std::any_of(divisors.begin(), divisors.end(), [&](float d) { return d != divisors[0]; }))
    parts_.push_back(
        {index, add_feature("halvings of " + parameter.name, divisor_weight), std::move(divisors)});
}

void FeatureMap::add_extent(const Parameter& parameter, std::size_t index,
                            const ParameterRole& role) {
  if (role.role == Role::toggle || role.role == Role::other)
    return;
  Extent extent{index, role, scaled_values(parameter), {}};
  for (const Value& value : parameter.values)
    extent.counts.push_back(static_cast<std::uint64_t>(std::max(1.0, to_number(value))));
  extents_.push_back(std::move(extent));
  has_threads_ |= role.role == Role::block;
  has_work_ |= role.role != Role::block;
  has_group_tile_ |= role.role == Role::group_tile;
  if (role.axis)
    (role.role == Role::block ? has_block_ : has_tile_)[*role.axis] = true;
}

/// A feature that is the sum of signs[0] * block, signs[1] * tile and signs[2] * group tile.
void FeatureMap::add_sum(std::string name, float weight, const std::array<float, 3>& signs,
                         std::optional<std::size_t> axis) {
  const std::size_t feature = add_feature(std::move(name), weight);
  for (const Extent& extent : extents_) {
    const float sign = signs[static_cast<std::size_t>(extent.role.role)];
    if (sign == 0 || (axis && extent.role.axis != axis))
      continue;
    Part part{extent.parameter, feature, extent.logs};
    for (float& value : part.values)
      value *= sign;
    parts_.push_back(std::move(part));
  }
}

void FeatureMap::add_products() {
  static_assert(static_cast<int>(Role::block) == 0 && static_cast<int>(Role::group_tile) == 2);
  const float spread = has_group_tile_ ? -1.0f : 0.0f; // tile per block over threads: per thread
  if (has_threads_)
    add_sum("threads per block", threads_weight, {1, 0, 0}, std::nullopt);
  if (has_work_)
    add_sum("work per thread", work_weight, {spread, 1, 1}, std::nullopt);
  if (!has_threads_ || !has_work_ || has_group_tile_)
    return;
  add_sum("work per block", extent_weight, {1, 1, 0}, std::nullopt);
  for (std::size_t axis = 0; axis < 3; ++axis)
    if (has_block_[axis] && has_tile_[axis])
      add_sum(std::string("extent ") + "xyz" [axis], extent_weight, { 1, 1, 0 }, axis);
}

void FeatureMap::describe(std::span<const Position> positions, std::span<float> out) const {
  std::fill(out.begin(), out.end(), 0.0f);
  for (const Part& part : parts_)
    out[part.feature] += part.values[positions[part.parameter]];
}

LaunchShape FeatureMap::shape(std::span<const Position> positions) const {
  LaunchShape shape;
  for (const Extent& extent : extents_) {
    const float log = extent.logs[positions[extent.parameter]];
    const bool block = extent.role.role == Role::block;
    (block ? shape.threads : shape.work) += log;
    if (block)
      shape.thread_count *= extent.counts[positions[extent.parameter]];
    if (extent.role.axis)
      (block ? shape.block : shape.tile)[*extent.role.axis] += log;
  }
  if (has_group_tile_) {
    shape.work -= shape.threads;
    for (std::size_t axis = 0; axis < 3; ++axis)
      shape.tile[axis] -= shape.block[axis];
  }
  return shape;
}

} // namespace gridsmith
