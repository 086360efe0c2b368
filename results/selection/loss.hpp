// SPDX-License-Identifier: Apache-2.0
// What is lost by not taking the best of a size, over many sizes. What is not known is not counted as
// anything else.
#pragma once

#include "gridsmith/results/measurement/objective.hpp"

#include <cstddef>
#include <limits>
#include <optional>
#include <span>
#include <string>

namespace gridsmith {

/// Cost of the choice / best cost of that size, so 1 is no loss; infinite where it cannot run, none
/// where it was not measured.
using Loss = std::optional<double>;
inline constexpr double cannot_run = std::numeric_limits<double>::infinity();

/// A loss as a share of the objective's own best value: 0.02 is 2 % more where less is better, 2 % less where
/// more is better.
double share_lost(const Objective& objective, double loss);
/// "2.1 %", of share_lost(); "over a million times" where the best is almost nothing, of which there is no share.
std::string share_text(const Objective& objective, double loss);
/// "slower", "more" or "less": what such a share is.
std::string worse_word(const Objective& objective);

struct LossFigures {
  double geometric_mean = 1, worst = 1, least = 1; ///< of known() sizes
  double within_5_percent = 1;                     ///< share of known() sizes
  std::size_t sizes = 0;
  std::size_t invalid = 0;      ///< sizes where what is chosen cannot run
  std::size_t not_measured = 0; ///< sizes where the loss is unknown

  std::size_t known() const { return sizes - invalid - not_measured; }

  /// Whether the figures above are of all sizes where something can run.
  bool complete() const { return known() > 0 && not_measured == 0; }
};

/// @param losses one per size
/// @param weights one per size; of the geometric mean alone
LossFigures loss_figures(std::span<const Loss> losses, std::span<const double> weights);

} // namespace gridsmith
