// The answer of a tuning, as a query over measurements: who is best, how sure that is, and who
// cannot be told apart from it.
#pragma once

#include "gridsmith/results/measurement/objective.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace gridsmith {

/// The best correct ones: within `fraction` of the best cost, best first, at most `most`. Those
/// pruned early had too few samples to be among them.
std::vector<const Measurement*> finalists(const std::vector<Measurement>& measurements,
                                          std::size_t most, double fraction,
                                          const Objective& objective = objectives().front(),
                                          const Workload& workload = {});

struct Ranked {
  Measurement measurement;
  TimeSummary time;
  bool tied = false; ///< it cannot be told apart from the winner: its interval overlaps
};

/// What was answered for one problem on one device, best first.
struct Answer {
  std::string when; ///< UTC, ISO 8601
  std::vector<Ranked> ranking;

  std::size_t ties() const; ///< with the winner, without it
};

/// Correct finalists ranked; the winner first. Tied are those whose time intervals overlap the
/// lowest one's, or, for an objective that time does not decide, whose costs are within 1 % of it.
/// Among them the winner is the one that moves fewest bytes (DRAM read + write, within 1 % counting
/// as equal), then the one with fewest registers, then the lowest median.
std::vector<Ranked> rank(const std::vector<Measurement>& finals,
                         const Objective& objective = objectives().front(),
                         const Workload& workload = {});

} // namespace gridsmith
