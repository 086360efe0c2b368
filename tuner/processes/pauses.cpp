// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/tuner/processes/pauses.hpp"

#include <poll.h>

#include <algorithm>
#include <ctime>
#include <utility>

namespace gridsmith {
namespace {

using namespace std::chrono_literals;

constexpr auto looks_apart = 100ms; // a stop is heard within it
constexpr auto tolerated = 100ms;   // later than that: a busy machine, a slow disk

std::chrono::nanoseconds time_worked() {
  timespec time{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec);
}

} // namespace

Pauses::Clock::duration Pauses::late_by() {
  const auto now = Clock::now();
  const auto worked = time_worked();
  const auto passed = now - std::exchange(looked_, now);
  // Another thread may be the one that looks: nothing is known of its work.
  const auto busy = std::max(0ns, worked - std::exchange(worked_, worked));
  const Clock::duration late = passed - busy - looks_apart;
  return late > tolerated ? late : Clock::duration::zero();
}

void wait_for_some(std::vector<pollfd>& descriptors, Pauses::Clock::time_point until) {
  const auto now = Pauses::Clock::now();
  const auto nap =
      std::chrono::ceil<std::chrono::milliseconds>(std::min(until, now + looks_apart) - now);
  ::poll(descriptors.data(), descriptors.size(), static_cast<int>(std::max(nap, 0ms).count()));
}

} // namespace gridsmith
