#include "gridsmith/tuner/processes/clock_lock.hpp"

#include <poll.h>

#include <chrono>

namespace gridsmith {

ClockLock::ClockLock(const std::filesystem::path& programs, const std::string& device_uuid,
                     int sm_clock_mhz)
    : holder_(ChildProcess::start(programs / "gridsmith-worker",
                                  {"--hold-clocks", device_uuid, std::to_string(sm_clock_mhz)})) {
  std::string said;
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(10);
  pollfd descriptor{holder_.descriptor(), POLLIN, 0};
  while (said.find('\n') == std::string::npos && std::chrono::steady_clock::now() < end) {
    ::poll(&descriptor, 1, 50);
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
