// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/results/measurement/doubt.hpp"

namespace gridsmith {

std::optional<RateDoubt> rate_doubt(const Measurement& measurement, const Board& board,
                                    const Workload& workload) {
  if (!board.device || !board.peaks || board.peaks->empty())
    return std::nullopt;
  return rate_doubt({.counters = measurement.counters,
                     .device = *board.device,
                     .time_ms = cost_ms(measurement).value_or(0),
                     .model_bytes = workload.model_bytes,
                     .model_flops = workload.model_flops,
                     .peaks = board.peaks});
}

bool may_win(const Measurement& measurement, const Board& board, const Workload& workload) {
  return measurement.compared_after || !rate_doubt(measurement, board, workload);
}

} // namespace gridsmith
