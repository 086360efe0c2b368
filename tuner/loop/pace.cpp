// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/tuner/loop/pace.hpp"

#include "gridsmith/tuner/loop/evaluator.hpp"

#include <algorithm>
#include <cmath>

namespace gridsmith {
namespace {

// What a worker is given beyond what it works on, so that it can count a whole batch in one
// session.
constexpr std::size_t ahead_of_worker = 128;
constexpr std::size_t at_worker = 4;   // one that is measured, and some that wait for their turn
constexpr std::size_t least_raced = 8; // races before their times say how many are useful

} // namespace

void Pace::learn(const TimeSpent& spent) {
  ++raced_;
  compiled_ms_ += spent.compile_ms;
  worked_ms_ += at_worker_ms(spent);
}

std::size_t Pace::depth(std::size_t compilers) {
  return 4 * compilers + ahead_of_worker;
}

/// All compilers at work, unless the worker is what is scarce: then as many as are compiled while it
/// measures one (Little's law), twice, since compilations differ. At the worker, as many as its load
/// keeps there: each more is asked knowing one answer less (tests/bench/time_to_answer.md).
std::size_t Pace::useful(std::size_t compilers) const {
  if (raced_ < least_raced)
    return compilers;
  const auto all = static_cast<double>(compilers);
  const double needed = 2 * compiled_ms_ / std::max(worked_ms_, 1e-3);
  const double load = std::min(1.0, all * worked_ms_ / std::max(compiled_ms_, 1e-3));
  return static_cast<std::size_t>(std::ceil(std::min(needed, all)) + std::ceil(at_worker * load));
}

} // namespace gridsmith
