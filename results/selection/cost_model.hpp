// SPDX-License-Identifier: Apache-2.0
// What a launch costs at a size that was not measured: a few non-negative coefficients per configuration
// over what it would launch there. Plain numbers, cheap enough for a generated header.
#pragma once

#include "gridsmith/results/selection/size_table.hpp"

#include <array>

namespace gridsmith {

/// One term of the model.
struct CostFeature {
  std::string_view name;
  /// Its value, in the language of base/expression, of real numbers: blocks, block_work, bytes
  /// (LaunchQuantities), sm_count, resident_blocks.
  std::string_view text;
  double (*value)(const LaunchQuantities& launch, double sm_count, double resident_blocks);
};

inline constexpr std::size_t feature_count = 6;

/// The terms, in the order of the coefficients. A launch costs something, and the memory moves bytes. The
/// rest is what the fullest SM takes for its blocks, of block_work each: as many at once as it holds
/// (waves), one after the other (blocks of an SM), and from half of its capacity on slower, as from
/// there on they share what one of them left idle.
/// Judged by the predicted times of sizes left out, on exhaustive tables of a matrix product, a transpose
/// and a reduction: other terms, and more of them, predict no better.
const std::array<CostFeature, feature_count>& features();

/// cost = sum of coefficient * feature.
struct CostModel {
  std::array<double, feature_count> coefficients = {}; ///< at least 0; all 0: there is no model

  /// @pre launch.valid
  double cost(const LaunchQuantities& launch, int sm_count, int resident_blocks) const;
};

/// What the configurations of a table have in common: the least squares of the relative error over all that was measured.
CostModel common_cost_model(const SizeTable& table);

/// The least squares of the relative error over the problems where it was measured, pulled towards the common model
/// times what it takes of that: one size explains itself by a launch that costs what was measured, whatever the size,
/// and says little of how it grows. At sizes that were not tuned, of seven kernels tuned at 5 to 12, choices
/// by such models lost 4 % where those by each configuration's own fit lost 13 % (tests/bench/sizes.md).
CostModel fit_cost_model(const SizeTable& table, std::size_t configuration,
                         const CostModel& common);

} // namespace gridsmith
