// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/tuner/processes/clock_lock.hpp"

#include "gridsmith/tuner/processes/pauses.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <chrono>
#include <system_error>
#include <utility>
#include <vector>

namespace gridsmith {
namespace {

/// "" where there is none.
std::filesystem::path marker_of(const std::filesystem::path& markers, std::string uuid) {
  std::replace_if(
      uuid.begin(), uuid.end(), [](unsigned char c) { return !std::isalnum(c) && c != '-'; }, '_');
  return markers.empty() ? markers : markers / ("gridsmith-" + uuid + ".clock");
}

} // namespace

ClockLock::ClockLock(const std::filesystem::path& programs, const std::filesystem::path& markers,
                     const std::string& device_uuid, int sm_clock_mhz)
    : holder_(ChildProcess::start(programs / "gridsmith-worker",
                                  {"--hold-clocks", device_uuid, std::to_string(sm_clock_mhz),
                                   marker_of(markers, device_uuid).string()})) {
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

std::optional<int> left_clock(const std::filesystem::path& markers,
                              const std::string& device_uuid) {
  const int found = ::open(marker_of(markers, device_uuid).c_str(),
                           O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  if (found < 0)
    return std::nullopt;
  const bool held = ::flock(found, LOCK_SH | LOCK_NB) != 0;
  std::array<char, 16> text{};
  const ssize_t size = held ? 0 : ::read(found, text.data(), text.size());
  ::close(found);
  if (held)
    return std::nullopt;
  int mhz = 0;
  std::from_chars(text.data(), text.data() + std::max<ssize_t>(size, 0), mhz);
  return mhz;
}

void restore_left_clock(const std::filesystem::path& programs, const std::filesystem::path& markers,
                        const std::string& device_uuid,
                        const std::function<void(const std::string&)>& note) {
  const auto mhz = left_clock(markers, device_uuid);
  if (!mhz)
    return;
  std::string said = run_program(programs / "gridsmith-worker", {"--restore-clocks", device_uuid},
                                 std::chrono::seconds(10))
                         .text;
  said = said.substr(0, said.find('\n'));
  std::error_code ignored;
  if (said == "restored")
    std::filesystem::remove(marker_of(markers, device_uuid), ignored);
  if (note)
    note(fmt::format("the SM clock was left locked at {} MHz by a Gridsmith that was killed; {}",
                     *mhz,
                     said == "restored"
                         ? "it is restored"
                         : "it cannot be restored: " + said + "; 'nvidia-smi -rgc' does, as root"));
}

} // namespace gridsmith
