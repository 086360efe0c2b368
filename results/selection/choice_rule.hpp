// How one of a few configurations is chosen for a size that may never have been measured. A pure
// function of plain numbers; a generated header does the very same.
#pragma once

#include "gridsmith/results/selection/cost_model.hpp"
#include "gridsmith/results/selection/cover.hpp"

namespace gridsmith {

enum class RuleKind {
  single,    ///< one configuration wherever it is valid
  nearest,   ///< the best of the nearest measured size
  model,     ///< least time by the cost model
  corrected, ///< the same, corrected by what the model missed at near sizes
};

template <>
struct Words<RuleKind> {
  static constexpr std::string_view kind = "choice rule";
  static constexpr std::array<std::string_view, 4> list{"single", "nearest", "model", "corrected"};
};

struct ChoiceRule {
  RuleKind kind = RuleKind::corrected;
  double reach =
      1; ///< corrected: doublings at which a measured size counts half of one that is the same
  double prior = 1;  ///< corrected: weight of "the model is right" among those of measured sizes
  double tie = 0.01; ///< predicted times within this share are decided by the nearest measured size
};

/// log2, linear between powers of two: exact in binary arithmetic and so the same on every compiler.
/// @pre extent >= 1
double log2_linear(std::int64_t extent);

/// Sum over the extents of |log2_linear(a) - log2_linear(b)|: doublings between two sizes.
double doublings(const ProblemSize& a, const ProblemSize& b);

/// A rule judged on sizes it did not learn from.
struct RuleFigures {
  ChoiceRule rule;
  LossFigures left_out;        ///< against the best of the size over all configurations
  LossFigures left_out_in_set; ///< against the best that the set has
};

} // namespace gridsmith
