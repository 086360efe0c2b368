// The time of a launch at a size nobody measured: a few non-negative coefficients per configuration
// over what it would launch there. Plain numbers, cheap enough for a generated header.
#pragma once

#include "gridsmith/results/selection/size_table.hpp"

#include <array>

namespace gridsmith {

/// One term of the model.
struct Feature {
  std::string_view name;
  /// Its value, in the language of base/expression, of real numbers: blocks, block_work, bytes
  /// (LaunchQuantities), sm_count, resident_blocks.
  std::string_view text;
  double (*value)(const LaunchQuantities& launch, double sm_count, double resident_blocks);
};

inline constexpr std::size_t feature_count = 4;

/// The terms, in the order of the coefficients: a launch costs something; an SM works off its blocks
/// one after the other (throughput) or as many at once as it holds (latency), a block's work taken
/// with what it pads; and the memory moves bytes. More terms learned no better from exhaustive tables
/// of a matrix product, a transpose and a reduction.
const std::array<Feature, feature_count>& features();

/// time_ms = sum of coefficient * feature.
struct CostModel {
  std::array<double, feature_count> coefficients = {}; ///< at least 0; all 0: nothing was measured

  /// @pre launch.valid
  double time_ms(const LaunchQuantities& launch, int sm_count, int resident_blocks) const;
};

/// The least squares of the relative error over all problems of the table.
CostModel fit_cost_model(const SizeTable& table, std::size_t configuration);

} // namespace gridsmith
