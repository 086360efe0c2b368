// SPDX-License-Identifier: Apache-2.0
// Whether a measurement's rate can be (metrics/analysis/rate_doubt.hpp), and whether what is in doubt may win.
#pragma once

#include "gridsmith/metrics/analysis/rate_doubt.hpp"
#include "gridsmith/results/measurement/objective.hpp"

#include <optional>

namespace gridsmith {

/// What rates are held against. Without it no rate is in doubt.
struct Board {
  const Device* device = nullptr;
  const Peaks* peaks = nullptr;
};

/// That its rate is beyond what the board was measured to reach. Nothing unless it is correct.
std::optional<RateDoubt> rate_doubt(const Measurement& measurement, const Board& board,
                                    const Workload& workload);

/// What is in doubt wins only where its outputs were compared again after it was timed; no record of before
/// that was done says so.
bool may_win(const Measurement& measurement, const Board& board, const Workload& workload);

} // namespace gridsmith
