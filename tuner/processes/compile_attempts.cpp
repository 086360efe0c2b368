// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/tuner/processes/compile_attempts.hpp"

#include <algorithm>
#include <utility>

namespace gridsmith {
namespace {

constexpr int most_crashes = 2, most_kills = 3, most_shortages = 2;

} // namespace

CompileAttempts::Verdict CompileAttempts::after(CompilerEnd end, bool longest) {
  switch (end) {
  case CompilerEnd::not_begun:
    break;
  case CompilerEnd::crashed:
    return ++crashes_ < most_crashes ? Verdict::again : Verdict::source;
  case CompilerEnd::killed:
    return ++kills_ < most_kills ? Verdict::again : Verdict::machine;
  case CompilerEnd::starved:
    return ++shortages_ < most_shortages ? Verdict::again : Verdict::machine;
  case CompilerEnd::timed_out:
    return std::exchange(patient_, true) || longest ? Verdict::source : Verdict::again;
  }
  return Verdict::again;
}

std::chrono::milliseconds pause_after(std::size_t losses_in_a_row) {
  using namespace std::chrono_literals;
  constexpr std::size_t doublings = 6;
  return losses_in_a_row <= 1 ? 0ms : 10ms * (1 << std::min(losses_in_a_row, doublings));
}

} // namespace gridsmith
