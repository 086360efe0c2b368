// SPDX-License-Identifier: Apache-2.0
// The time to beat: the upper end of the best interval so far. Heard from the tuner by one thread,
// found by the worker in another.
#pragma once

#include <atomic>
#include <limits>
#include <optional>

namespace gridsmith {

class BestTime {
public:
  /// Kept where it is lower than all before.
  void offer(std::optional<double> ms);
  /// The lowest offered; nothing when there was none.
  std::optional<double> ms() const;

private:
  std::atomic<double> lowest_ms_ = std::numeric_limits<double>::infinity();
};

} // namespace gridsmith
