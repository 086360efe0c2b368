// SPDX-License-Identifier: Apache-2.0
// How many trials keep compilers and one GPU at work, by what trials have taken so far.
#pragma once

#include "gridsmith/results/measurement/execution.hpp"

#include <cstddef>

namespace gridsmith {

class Pace {
public:
  /// Of one that was raced.
  void learn(const TimeSpent& spent);

  /// Where no answer is needed. So many that a whole batch can be counted in one session.
  static std::size_t depth(std::size_t compilers);

  /// Where each answer changes what is asked next.
  std::size_t useful(std::size_t compilers) const;

private:
  std::size_t raced_ = 0;
  double compiled_ms_ = 0, worked_ms_ = 0; ///< in all
};

} // namespace gridsmith
