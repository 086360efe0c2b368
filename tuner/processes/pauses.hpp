// SPDX-License-Identifier: Apache-2.0
// A pause of this process (Ctrl-Z, SIGSTOP, a container that is paused) is nobody's silence. Who waits
// for other processes looks after them every tenth of a second; a look that comes later, though this
// thread had nothing to do, moves their deadlines by as much.
#pragma once

#include <chrono>
#include <vector>

struct pollfd;

namespace gridsmith {

class Pauses {
public:
  using Clock = std::chrono::steady_clock; // stands still while the machine sleeps

  /// To be asked at each look: how much later it comes than it should have; mostly nothing.
  Clock::duration late_by();

private:
  Clock::time_point looked_ = Clock::now();
  std::chrono::nanoseconds worked_{0}; ///< CPU time of this thread then
};

/// Until one of them has something to say, or that time is reached, or it is time for the next look.
void wait_for_some(std::vector<pollfd>& descriptors, Pauses::Clock::time_point until);

} // namespace gridsmith
