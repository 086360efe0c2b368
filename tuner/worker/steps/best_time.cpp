// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/tuner/worker/steps/best_time.hpp"

#include <cmath>

namespace gridsmith {

void BestTime::offer(std::optional<double> ms) {
  if (!ms)
    return;
  double known_ms = lowest_ms_.load();
  while (*ms < known_ms && !lowest_ms_.compare_exchange_weak(known_ms, *ms)) {
  }
}

std::optional<double> BestTime::ms() const {
  const double lowest = lowest_ms_.load();
  return std::isfinite(lowest) ? std::optional(lowest) : std::nullopt;
}

} // namespace gridsmith
