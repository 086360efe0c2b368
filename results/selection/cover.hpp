// SPDX-License-Identifier: Apache-2.0
// The fewest configurations that serve every measured size, and what fewer or more would cost.
#pragma once

#include "gridsmith/results/selection/loss.hpp"
#include "gridsmith/results/selection/size_table.hpp"

namespace gridsmith {

/// The least cost of each problem over all configurations, shippable or not; 0 where none was right.
std::vector<double> least_costs(const SizeTable& table);

/// The configuration of that cost, of each problem the first; the first of the table where none was right.
std::vector<std::size_t> best_of_each(const SizeTable& table);

/// The best set of one size.
struct CoverStep {
  std::vector<std::size_t> configurations; ///< of the table, ascending
  LossFigures loss;                        ///< over the measured sizes
};

struct CoverRules {
  double worst_loss = 1.03; ///< of any size
  std::size_t most = 24;    ///< configurations
  bool curve = true;
  /// A set that stays while its worst loss is within `previous_worst_loss` and it has at most half as
  /// many again and one more than are needed; else as many of it as are no worse.
  std::vector<Configuration> previous = {};
  /// More than worst_loss by what times of small kernels differ between reruns.
  double previous_worst_loss = 1.05;
  /// Where those that were measured wherever they are valid keep this, or worst_loss if it is more, the
  /// set is one of them: what others lose where they were not measured is not known.
  double known_worst_loss = 1;
};

struct Cover {
  std::vector<std::size_t> configurations; ///< of the table, ascending
  LossFigures loss;
  std::vector<CoverStep> curve; ///< from one configuration on, until nothing is lost
};

/// Configurations that may be shipped: correct wherever they were tried.
std::vector<std::size_t> shippable(const SizeTable& table);

/// The smallest set with a worst loss within the rules (a size where no shippable one is within them
/// asks for the best there); of its size one with most of the previous set, then a low geometric mean.
/// The size is exact (branch and bound) unless the search grows beyond its budget, then greedy; the
/// mean is improved by exchanges.
/// @throws InputError: a size where nothing shippable was measured, and which; a worst loss below 1.
Cover cover(const SizeTable& table, const CoverRules& rules = {});

} // namespace gridsmith
