// SPDX-License-Identifier: Apache-2.0
// Which parameters the time is made by, alone and two at a time: functional analysis of variance over
// what was measured, as a report draws it. Pure functions of a recording.
#pragma once

#include "gridsmith/results/influence/influence.hpp"

#include <string>
#include <vector>

namespace gridsmith {

/// What a pair of parameters tells of the time beyond what both tell alone.
struct PairEffect {
  std::string a, b;
  double share = 0; ///< of the variance of log time
};

struct Importance {
  /// Effects of single parameters on the time, as `influence` has them, largest share first.
  std::vector<ParameterEffect> mains;
  std::vector<PairEffect> pairs; ///< largest first; at most `most_pairs`
  double explained = 0;          ///< by all of these together, 0 … 1
};

inline constexpr std::size_t most_pairs = 12;

/// Log time is taken as a sum of effects of single parameters, fitted together, so that in a space with
/// holes none is counted twice (backfitting: Hastie and Tibshirani, Generalized Additive Models, 1990,
/// §4.3); what is left is given to the pair that tells most of it, and so on. Shares are less what
/// as many random groups would have (variance.hpp). After Hutter, Hoos and Leyton-Brown, An efficient
/// approach for assessing hyperparameter importance, ICML 2014.
/// @param known of the same recording; empty result where it had not enough
Importance importance(const Recording& recording, const Influence& known);

} // namespace gridsmith
