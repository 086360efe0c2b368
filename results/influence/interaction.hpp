// What two parameters move together beyond what each moves alone: the pairs of a functional analysis of
// variance, whose main effects are those of influence(). Pure functions of a recording.
#pragma once

#include "gridsmith/results/measurement/recording.hpp"

#include <string>
#include <vector>

namespace gridsmith {

struct Interaction {
  std::string one, other; ///< parameters, in the recording's order
  double share = 0;       ///< of the variance of log time, from 0 to 1
  /// What the two leave open when they only add up is not told apart by pairs of values more than chance
  /// would show of this pair (Freedman and Lane, Journal of Business & Economic Statistics 1, 1983).
  bool by_chance = true;
};

/// The share that a mean per pair of values foretells, less that of the best sum of one term per value of
/// each (fitted by turns until it stands: Hastie and Tibshirani, Generalized Additive Models, 1990), so
/// that what constraints tie together counts once; both less what as many random groups would have.
/// Largest first; empty with fewer than fewest_configurations correct ones.
std::vector<Interaction> interactions(const Recording& recording);

} // namespace gridsmith
