// SPDX-License-Identifier: Apache-2.0
// How one of a few configurations is chosen for a size that may never have been measured: the numbers
// of the rule, and how far two sizes are apart. A generated header does the very same.
#pragma once

#include "gridsmith/results/selection/cost_model.hpp"
#include "gridsmith/results/selection/cover.hpp"

namespace gridsmith {

enum class RuleKind {
  nearest,   ///< the best of the nearest measured size
  model,     ///< least time by the cost model; the nearest size's best where that one has no model
  corrected, ///< the same, corrected by what the model missed at near sizes
};

template <>
struct Words<RuleKind> {
  static constexpr std::string_view kind = "choice rule";
  static constexpr std::array<std::string_view, 3> list{"nearest", "model", "corrected"};
};

struct ChoiceRule {
  RuleKind kind = RuleKind::corrected;
  /// Predicted times within this share of the least are a tie, which the nearest measured size decides.
  double tie = 0;

  bool operator==(const ChoiceRule&) const = default;
};

/// log2, linear between powers of two: exact in binary arithmetic, so the same with every compiler.
/// 0 for a value below 1.
double log2_linear(std::int64_t extent);

/// Sum over the extents of |log2_linear(a) - log2_linear(b)|: doublings between two sizes; infinite
/// where they have different numbers of extents.
double doublings(const ProblemSize& a, const ProblemSize& b);

/// The model's own word counts as much as that of a measured size so many doublings away.
inline constexpr double model_doublings = 8;
/// Squared doublings that are added to those of every size: an eighth of a doubling is no distance.
inline constexpr double near_squared = 1.0 / 64;

/// What a model missed, as a factor of its time: the mean of the ratios at measured sizes (time / time
/// by the model; 0: none there) and of 1, each with the weight 1 / (doublings^2 + near_squared), 1 with
/// 1 / model_doublings^2. Inverse distance weighting: Shepard, A two-dimensional interpolation function for
/// irregularly-spaced data, ACM National Conference (1968).
double correction(std::span<const double> doublings, std::span<const double> ratios);

/// What was chosen at a problem that was left out. Indices are of the table.
struct LeftOutChoice {
  std::size_t problem = 0;
  std::optional<std::size_t> configuration; ///< none: nothing of the set is valid, nor the default
  Loss loss;
};

/// A set and a rule judged on sizes that neither learned from.
struct RuleFigures {
  double worst_loss = 1; ///< that the set had to keep at the sizes it learned from
  ChoiceRule rule;
  LossFigures left_out;               ///< against the best of the size over all configurations
  LossFigures left_out_in_set;        ///< the same of the best of the set: what no rule can better
  double configurations = 0;          ///< in the sets, mean
  std::vector<LeftOutChoice> choices; ///< what left_out is made of
};

} // namespace gridsmith
