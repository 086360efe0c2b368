// The fewest configurations that serve every measured size, and what fewer or more would cost.
#pragma once

#include "gridsmith/results/selection/size_table.hpp"

#include <limits>

namespace gridsmith {

/// Time of what is chosen / best time of that size, so 1 is no loss; infinite where it cannot run, none
/// where it was not measured.
using Loss = std::optional<double>;
inline constexpr double cannot_run = std::numeric_limits<double>::infinity();

struct LossFigures {
  double geometric_mean = 1, worst = 1, least = 1; ///< of known() sizes
  double within_5_percent = 1;                     ///< share of known() sizes
  std::size_t sizes = 0;
  std::size_t invalid = 0;      ///< sizes where what is chosen cannot run
  std::size_t not_measured = 0; ///< sizes where nobody knows what is lost

  std::size_t known() const { return sizes - invalid - not_measured; }

  /// Whether the figures above are of all sizes where something can run.
  bool complete() const { return known() > 0 && not_measured == 0; }
};

/// @param losses one per size
/// @param weights one per size; of the geometric mean alone
LossFigures loss_figures(std::span<const Loss> losses, std::span<const double> weights);

/// The best time of each problem over all configurations, shippable or not; 0 where none was right.
std::vector<double> best_times(const SizeTable& table);

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
  /// set is one of them: what others lose where nobody measured them is not known.
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
