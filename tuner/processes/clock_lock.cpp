// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/tuner/processes/clock_lock.hpp"

#include "gridsmith/tuner/processes/pauses.hpp"

#include <poll.h>

#include <chrono>

namespace gridsmith {

ClockLock::ClockLock(const std::filesystem::path& programs, const std::string& device_uuid,
                     int sm_clock_mhz)
    : holder_(ChildProcess::start(programs / "gridsmith-worker",
                                  {"--hold-clocks", device_uuid, std::to_string(sm_clock_mhz)})) {
  std::string said;
  Pauses pauses;
  auto end = Pauses::Clock::now() + std::chrono::seconds(10);
  std::vector<pollfd> descriptor{{holder_.descriptor(), POLLIN, 0}};
  while (said.find('\n') == std::string::npos && Pauses::Clock::now() < end) {
    wait_for_some(descriptor, end);
    end += pauses.late_by();
    const bool alive = holder_.receive();
    said += holder_.take_text();
    if (!alive)
      break;
  }
  if (said != "locked\n")
    throw HelperError("the SM clock cannot be locked: " +
                      (said.empty() ? "no answer" : said.substr(0, said.find('\n'))));
}

ClockLock::~ClockLock() {
  holder_.hang_up();
  holder_.reap();
}

} // namespace gridsmith
