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
  bool tied = false; ///< one of those that the winner was chosen from
};

/// What was answered for one problem on one device, best first.
struct Answer {
  std::string when; ///< UTC, ISO 8601
  std::vector<Ranked> ranking;

  std::size_t ties() const; ///< with the winner, not counting it
};

/// Correct finalists ranked; the winner first. Tied are those whose time intervals overlap the
/// lowest one's, or, for an objective that time does not decide, whose costs are within 1 % of it.
/// Among them the winner is found by tie_break().
std::vector<Ranked> rank(const std::vector<Measurement>& finals,
                         const Objective& objective = objectives().front(),
                         const Workload& workload = {});

/// What told the winner from those tied with it, step by step, with the numbers: first the fewest
/// DRAM bytes (within 1 % counting as equal), of these the fewest registers, of these the shortest
/// median. A step that one of them has no number for is left out. Empty without a tie.
std::vector<std::string> tie_break(const std::vector<Ranked>& ranking);

} // namespace gridsmith
