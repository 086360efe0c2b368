// SPDX-License-Identifier: Apache-2.0
// A check of the objective that a kernel was tuned by, where it is not the time: its value in the old
// and the new code.
#pragma once

#include "gridsmith/base/fields.hpp"
#include "gridsmith/results/measurement/objective.hpp"

#include <optional>
#include <string>

namespace gridsmith {

struct GuardedObjective {
  std::string name, unit;
  std::optional<double> before = {}, now = {};
  /// Of the old value: how much more it is, where less is better, or how much less; below 0: a gain. None where the
  /// old value is 0, of which there is no share, or one of both is not known.
  std::optional<double> share_lost = {};
  bool worse = false;      ///< by more than the least effect
  std::string reason = {}; ///< why it was not judged, one line; "": it was
};

template <Like<GuardedObjective> T>
void for_fields(T& v, auto&& visit) {
  visit("name", v.name);
  visit("unit", v.unit);
  visit("before", v.before);
  visit("now", v.now);
  visit("share_lost", v.share_lost);
  visit("worse", v.worse);
  visit("reason", v.reason);
}

/// @param least_effect relative; what is worse by less counts as the same
/// @param missing why one of the values is not there, for the reason
GuardedObjective guarded(const Objective& objective, std::optional<double> before,
                         std::optional<double> now, double least_effect,
                         const std::string& missing = "its counters are not known");

/// "tuned by dram_traffic: 1000 bytes before, 1200 now, 20.0 % worse".
std::string to_text(const GuardedObjective& objective);

} // namespace gridsmith
