// The fewest configurations that serve every measured size, and what fewer or more would cost.
#pragma once

#include "gridsmith/results/selection/size_table.hpp"

namespace gridsmith {

/// Loss: time of what is chosen / best time of that size, so 1 is no loss.
struct LossFigures {
  double geometric_mean = 1, worst = 1, least = 1;
  double within_5_percent = 1; ///< share of the sizes
  std::size_t sizes = 0;
  std::size_t invalid = 0; ///< sizes where what is chosen cannot run; not in the figures above
};

/// @param losses one per size, infinite where what was chosen cannot run
/// @param weights one per size; of the geometric mean alone
LossFigures loss_figures(std::span<const double> losses, std::span<const double> weights);

/// The best set of one size.
struct CoverStep {
  std::vector<std::size_t> configurations; ///< of the table, ascending
  LossFigures loss;                        ///< over the measured sizes
};

struct CoverRules {
  double worst_loss = 1.03;            ///< of any size
  std::size_t most = 24;               ///< steps of the curve
  std::vector<Configuration> previous; ///< held on to where others are no better
};

struct Cover {
  std::vector<std::size_t> configurations; ///< of the table, ascending
  LossFigures loss;
  std::vector<CoverStep> curve; ///< from one configuration on, until nothing is lost
};

/// Configurations that may be shipped: correct wherever they were tried.
std::vector<std::size_t> shippable(const SizeTable& table);

/// The smallest set with a worst loss within the rules; among those of its size the one with most
/// of the previous set, then the lowest geometric mean. Exact by branch and bound; where that takes too long
/// the greedy set improved by exchanges.
/// @throws InputError: a size where nothing shippable was measured, and which.
Cover cover(const SizeTable& table, const CoverRules& rules = {});

} // namespace gridsmith
