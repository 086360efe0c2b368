// SPDX-License-Identifier: Apache-2.0
// What the hardware counted of the old and the new code, beside each other: the reasons of a
// slow-down, and a change of its own where what was counted is exact.
#pragma once

#include "gridsmith/metrics/catalogue/counters.hpp"

#include <string>
#include <vector>

namespace gridsmith {

/// Counts of what the code does are equal in every launch of the same code on the same data, but for
/// shared-memory wavefronts and sectors that atomics and neighbours shift a little.
inline constexpr double counter_tolerance = 0.01;
/// Bytes of DRAM, hits and cycles scatter from launch to launch; below this they explain nothing.
inline constexpr double scatter_of_counters = 0.1;

struct CounterChange {
  std::string what; ///< "store sectors per request"
  double before = 0, now = 0;
  bool exact = false; ///< a count of what the code does
  bool worse = false; ///< exact, and more work than before, not another kind of work
};

/// Those that differ by more than their tolerance, exact ones first, then the largest ratio. Only what
/// both were counted with.
/// @param tolerance of the exact ones, relative
std::vector<CounterChange> counter_changes(const CounterValues& before, const CounterValues& now,
                                           double tolerance = counter_tolerance);

/// Whether any known counter was counted in both, so that none that differs says something.
bool any_in_both(const CounterValues& before, const CounterValues& now);

/// "store sectors per request 4 → 32".
std::string to_text(const CounterChange& change);

} // namespace gridsmith
