// SPDX-License-Identifier: Apache-2.0
// What moved what across a measured space: which parameter changed which metric, and which metric
// explains the time. Pure functions of a recording; association over the configurations that were
// measured, with what chance would show beside it.
#pragma once

#include "gridsmith/results/measurement/quantities.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace gridsmith {

/// How a quantity differs between two values of a parameter with all other parameters held equal.
struct Step {
  Value from, to;
  double ratio = 1;      ///< quantity at `to` over that at `from`, median over the pairs
  std::size_t pairs = 0; ///< of configurations that differ in this parameter alone
};

/// One parameter and one quantity.
struct ParameterEffect {
  std::string parameter;
  std::string quantity; ///< its name
  /// Main effect: share of the variance of the quantity's log between the values of the parameter
  /// (variance.hpp, share_between()).
  double share = 0;
  bool by_chance = true; ///< no more than chance would show somewhere in this space
  /// Of all pairs of values, the one with the largest ratio either way; none: no two configurations
  /// differ in this parameter alone, or the quantity was 0.
  std::optional<Step> step;
};

/// A metric and its like, and what they tell of the time.
struct Explanation {
  std::string quantity; ///< the plainest of those alike
  double share = 0;     ///< of the variance of log time foretold (variance.hpp, share_foretold())
  double exponent = 0;  ///< time goes as the quantity to this power
  std::vector<std::string> alike; ///< the others, correlated with it by 0.95 and more either way
};

struct Influence {
  std::size_t configurations = 0;        ///< correct ones
  bool enough = false;                   ///< of them to say anything; else all below is empty
  std::vector<Quantity> quantities;      ///< the time, and what differs between them
  std::vector<ParameterEffect> effects;  ///< largest share first
  std::vector<Explanation> explanations; ///< more than chance would; largest share first
  /// What foretells most together, at most three: an explanation, then what is left open by it.
  std::vector<std::string> together;
  double together_share = 0;

  /// By its name; nullptr for one that is not among them.
  const Quantity* quantity(const std::string& name) const;
  /// That names it or has it among those alike; nullptr: none.
  const Explanation* explanation(const std::string& name) const;
};

/// Fewest correct configurations of which anything is said.
inline constexpr std::size_t fewest_configurations = 12;

/// Logarithms all through; where a quantity is 0 somewhere, of it plus its smallest value above. One
/// that is not known of a configuration counts as average there. What was broken off early is in: that
/// it was slow is known.
Influence influence(const Recording& recording);
/// The same, with the effects of parameters on the time alone and nothing told together: all that why_faster() and winner_of() need, in a tenth of
/// the time.
Influence influence_on_time(const Recording& recording);

} // namespace gridsmith
