// The answer of a tuning, as a query over measurements: who is best, how sure that is, and who
// cannot be told apart from it.
#pragma once

#include "gridsmith/results/measurement/measurement.hpp"

#include <cstddef>
#include <vector>

namespace gridsmith {

/// The best correct ones: within `fraction` of the best cost, best first, at most `most`. Those
/// dropped by racing had too few samples to be among them.
std::vector<const Measurement*> finalists(const std::vector<Measurement>& measurements,
                                          std::size_t most, double fraction);

struct Ranked {
  Measurement measurement;
  TimeSummary time;
  bool tied = false; ///< its interval overlaps the winner's, so the two cannot be told apart
};

/// Correct finalists ranked; the winner first. Among those tied for the lowest median the winner is
/// the one that moves fewest bytes (DRAM read + write, within 1 % counting as equal), then the one
/// with fewest registers, then the lowest median.
std::vector<Ranked> rank(const std::vector<Measurement>& finals);

} // namespace gridsmith
