// SPDX-License-Identifier: Apache-2.0
// Asks now and then, while a space is built, whether to go on.
#pragma once

#include "gridsmith/search/space/space.hpp"

#include <cstdint>

namespace gridsmith::detail {

class Watch {
public:
  /// @param ask outlives it; may be empty
  explicit Watch(const SpaceWatch& ask) : ask_(ask) {}

  /// Counts work. @param progress gives it when it is asked for
  /// @throws SpaceNotBuilt when asked to stop
  template <class Progress>
  void spend(std::uint64_t operations, Progress progress) {
    if (operations < left_)
      left_ -= operations;
    else
      ask(progress());
  }

private:
  static constexpr std::uint64_t interval = 1'000'000; ///< operations: some milliseconds

  void ask(const SpaceProgress& progress) {
    left_ = interval;
    if (ask_ && !ask_(progress))
      throw SpaceNotBuilt();
  }

  const SpaceWatch& ask_;
  std::uint64_t left_ = interval;
};

} // namespace gridsmith::detail
