// SPDX-License-Identifier: Apache-2.0
// What a surrogate learns from: a configuration as numbers. Every feature is a sum of one number
// per parameter value, so describing a configuration is a few table look-ups.
//
// Numbers go in as their logarithm to base 2 (a tile of 8 is to 4 what 4 is to 2; products of
// parameters become sums), and beside them how often 2 divides them, because GPUs work in warps and
// cache lines of powers of two. Names that tell block extents and work per thread add the products
// hardware sees: threads per block, work per thread, extent of a block along an axis.
#pragma once

#include "gridsmith/search/models/roles.hpp"
#include "gridsmith/search/space/space.hpp"

#include <array>
#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace gridsmith {

/// One feature: its name, and how fast cost is expected to change along it before any was measured.
struct Feature {
  std::string name;
  float weight = 1; ///< squared inverse length scale, per unit of the feature squared
};

/// The launch as far as names tell it; logarithms to base 2.
struct LaunchShape {
  float threads = 0;              ///< per block
  float work = 0;                 ///< elements per thread
  std::uint64_t thread_count = 1; ///< per block, exact
  std::array<float, 3> block{};   ///< threads along x, y, z
  std::array<float, 3> tile{};    ///< elements per thread along x, y, z
};

class FeatureMap {
public:
  explicit FeatureMap(const std::vector<Parameter>& parameters); ///< roles by their names
  /// @pre one role per parameter
  FeatureMap(const std::vector<Parameter>& parameters, const std::vector<ParameterRole>& roles);

  const std::vector<Feature>& features() const { return features_; }

  std::size_t size() const { return features_.size(); }

  /// @pre out.size() == size(), one position per parameter
  void describe(std::span<const Position> positions, std::span<float> out) const;

  LaunchShape shape(std::span<const Position> positions) const;

  /// Whether names told anything: threads per block, work per thread, both along an axis.
  bool has_threads() const { return has_threads_; }

  bool has_work() const { return has_work_; }

  bool has_block(std::size_t axis) const { return has_block_[axis]; }

  bool has_tile(std::size_t axis) const { return has_tile_[axis]; }

private:
  /// What one parameter adds to one feature, by position.
  struct Part {
    std::size_t parameter;
    std::size_t feature;
    std::vector<float> values;
  };

  struct Extent {
    std::size_t parameter;
    ParameterRole role;
    std::vector<float> logs;
    std::vector<std::uint64_t> counts;
  };

  void add_parameter(const Parameter& parameter, std::size_t index, Role role);
  void add_extent(const Parameter& parameter, std::size_t index, const ParameterRole& role);
  void add_products();
  std::size_t add_feature(std::string name, float weight);
  void add_sum(std::string name, float weight, const std::array<float, 3>& signs,
               std::optional<std::size_t> axis);

  std::vector<Feature> features_;
  std::vector<Part> parts_;
  std::vector<Extent> extents_;
  bool has_threads_ = false;
  bool has_work_ = false;
  bool has_group_tile_ = false;
  std::array<bool, 3> has_block_{};
  std::array<bool, 3> has_tile_{};
};

} // namespace gridsmith
