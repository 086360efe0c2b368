// SPDX-License-Identifier: Apache-2.0
// What a candidate is worth: expected improvement and the cost it is computed on.
#pragma once

#include <Eigen/Core>

#include <vector>

namespace gridsmith {

/// Expected improvement below `best` of a normal belief: (b - m) Phi(z) + s phi(z), z = (b - m)/s;
/// Jones, Schonlau & Welch, Efficient Global Optimization, J. Global Optimization 13 (1998),
/// eq. 15.
Eigen::ArrayXf expected_improvement(const Eigen::ArrayXf& mean, const Eigen::ArrayXf& deviation,
                                    float best);

/// One answer as a surrogate keeps it.
struct LearnedCost {
  bool valid = false;
  double log_cost = 0; ///< meaningless when it failed
};

/// Targets of a surrogate: the logarithm of cost, compressed above the 60th percentile (how slow
/// the slow ones are says little about the fast ones, and would rule the fit), failures at the
/// 70th: bad, but no cliff, because the best often lie next to what no longer fits.
std::vector<double> learning_targets(const std::vector<LearnedCost>& costs);

} // namespace gridsmith
