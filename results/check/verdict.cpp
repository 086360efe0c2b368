// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/results/check/verdict.hpp"

#include <algorithm>

namespace gridsmith {
namespace {

bool judged(CheckVerdict verdict) {
  return verdict != CheckVerdict::incomparable && verdict != CheckVerdict::missing;
}

} // namespace

bool fails(CheckVerdict verdict, const FailureRules& rules) {
  return verdict == CheckVerdict::slower || verdict == CheckVerdict::worse ||
         verdict == CheckVerdict::wrong || verdict == CheckVerdict::changed ||
         (rules.strict &&
          (verdict == CheckVerdict::undecided || verdict == CheckVerdict::different));
}

Gate gate_of(std::span<const CheckVerdict> verdicts, const FailureRules& rules) {
  if (std::any_of(verdicts.begin(), verdicts.end(),
                  [&](CheckVerdict one) { return fails(one, rules); }))
    return Gate::red;
  const auto count =
      static_cast<std::size_t>(std::count_if(verdicts.begin(), verdicts.end(), judged));
  const bool enough = rules.allow_missing ? count > 0 : count == verdicts.size();
  return enough && count > 0 ? Gate::green : Gate::incomplete;
}

} // namespace gridsmith
