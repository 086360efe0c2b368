// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/results/check/guarded_objective.hpp"

#include "gridsmith/base/number_text.hpp"

#include <fmt/format.h>

#include <cmath>

namespace gridsmith {

GuardedObjective guarded(const Objective& objective, std::optional<double> before,
                         std::optional<double> now, double least_effect,
                         const std::string& missing) {
  GuardedObjective result{
      .name = objective.name, .unit = objective.unit, .before = before, .now = now};
  if (!before || !now) {
    result.reason = missing;
    return result;
  }
  const double lost = objective.direction == Direction::minimise ? *now - *before : *before - *now;
  if (*before > 0)
    result.share_lost = lost / *before;
  result.worse = result.share_lost ? *result.share_lost > least_effect : lost > 0;
  return result;
}

std::string to_text(const GuardedObjective& one) {
  std::string text = "tuned by " + one.name;
  if (!one.reason.empty())
    return text + ", which is not judged: " + one.reason;
  text += fmt::format(": {}{} before, {} now", number_text(*one.before),
                      one.unit.empty() ? "" : " " + one.unit, number_text(*one.now));
  if (!one.share_lost)
    return text + (one.worse ? ", worse" : "");
  const double percent = 100 * *one.share_lost;
  return std::abs(percent) < 0.05 ? text
                                  : text + fmt::format(", {:.1f} % {}", std::abs(percent),
                                                       percent > 0 ? "worse" : "better");
}

} // namespace gridsmith
