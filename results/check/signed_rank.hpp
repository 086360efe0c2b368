// SPDX-License-Identifier: Apache-2.0
// Wilcoxon's signed-rank test and the interval that belongs to it (Hollander, Wolfe, Chicken,
// Nonparametric Statistical Methods, 3rd ed., §3.1 to 3.3): for differences that are symmetric around
// their centre, without a guess of how they are distributed.
#pragma once

#include <span>
#include <vector>

namespace gridsmith {

struct Centre {
  double estimate = 0;      ///< Hodges-Lehmann: median of all averages of two differences
  double low = 0, high = 0; ///< of at least the confidence asked for; infinite: too few for it
};

/// @param differences not empty @param error of both sides together: 0.01 for 99 %
Centre centre_of(std::span<const double> differences, double error);

/// How likely differences at least so far above `bound` are where their centre is not above it.
/// Exact; of ties the middle ranks are taken, what equals the bound counts half. 1 for none.
double chance_above(std::span<const double> differences, double bound);

/// The fewest differences that can reach such an error on one side.
int fewest_for(double error);

} // namespace gridsmith
