// SPDX-License-Identifier: Apache-2.0
// Why configurations failed: the same reason once, with how often it was given.
#pragma once

#include "gridsmith/results/measurement/answer.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace gridsmith {

struct FailureGroup {
  Status status = Status::runtime;
  std::string reason; ///< its first line
  std::size_t count = 0;
  const Measurement* first = nullptr; ///< of those given
};

/// The commonest first. They point into the measurements.
std::vector<FailureGroup> failure_groups(const std::vector<Measurement>& measurements);

/// Of an answer that is not confirmed, those of its ranking that failed when they were measured again.
std::vector<Measurement> failed_finals(const Answer& answer, const std::vector<Measurement>& rows);

/// Why an answer is not confirmed, one line: "none of the 6 that were measured again gave a right result
/// (6 × correctness: element 3 of 'out' is nan)"; "" where it is.
/// @param rows what became of each configuration in the end
std::string not_confirmed_because(const Answer& answer, const std::vector<Measurement>& rows,
                                  const Board& board);

} // namespace gridsmith
