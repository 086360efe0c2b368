// SPDX-License-Identifier: Apache-2.0
// What is lost by not taking the best of a size, over many sizes. What is not known is not counted as
// anything else.
#pragma once

#include <cstddef>
#include <limits>
#include <optional>
#include <span>

namespace gridsmith {

/// Time of the choice / best time of that size, so 1 is no loss; infinite where it cannot run, none
/// where it was not measured.
using Loss = std::optional<double>;
inline constexpr double cannot_run = std::numeric_limits<double>::infinity();

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
