// SPDX-License-Identifier: Apache-2.0
// Two recordings of one kernel and problem, compared. Facts only: what a difference of times
// is worth, their samples say, and two boards are not one.
#pragma once

#include "gridsmith/results/measurement/recording.hpp"

#include <cstddef>
#include <optional>
#include <vector>

namespace gridsmith {

/// A configuration that was correct and timed to its end both times.
struct TimeChange {
  Configuration configuration;
  double before_ms = 0, after_ms = 0; ///< medians, or what a file reported

  double ratio() const { return after_ms / before_ms; }
};

struct Comparison {
  std::vector<TimeChange> common; ///< by ratio, the slowed first
  std::size_t only_before = 0, only_after = 0;
  std::vector<Configuration> now_failing, now_correct; ///< of those tried both times
};

Comparison compare(const Recording& before, const Recording& after);

/// The middle one's ratio; nothing when there is none.
std::optional<double> median_ratio(const Comparison& comparison);

/// Whether the samples tell two times apart: the intervals of their medians do not overlap. Nothing
/// below 6 samples on either side, which have no interval of 95 %.
std::optional<bool> told_apart(const Measurement& before, const Measurement& after);

} // namespace gridsmith
