// The time of a launch at a size nobody measured: a few non-negative coefficients per configuration
// over what it would launch there. Plain numbers, cheap enough for a generated header.
#pragma once

#include "gridsmith/results/selection/size_table.hpp"

namespace gridsmith {

/// One term of the model. Its text is in the language of base/expression and says what its value is.
struct Feature {
  std::string_view name;
  /// Over blocks, block_work, bytes (LaunchQuantities), sm_count and resident_blocks; real numbers.
  std::string_view text;
  double (*value)(const LaunchQuantities& launch, double sm_count, double resident_blocks);
};

/// The table of terms, in the order of the coefficients.
std::span<const Feature> features();

/// time_ms = sum of coefficient * feature.
struct CostModel {
  std::vector<double> coefficients; ///< one per feature, at least 0; empty: nothing was measured

  /// @pre launch.valid and there are coefficients
  double time_ms(const LaunchQuantities& launch, int sm_count, int resident_blocks) const;
};

/// Least squares of the relative error over the measured sizes of one configuration.
/// @param problems that it may learn from: one flag per problem of the table
CostModel fit_cost_model(const SizeTable& table, std::size_t configuration,
                         const std::vector<bool>& problems);

} // namespace gridsmith
