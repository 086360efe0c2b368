// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/tuner/worker/hold_clocks.hpp"

#include "gridsmith/tuner/worker/nvml.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <exception>
#include <stdexcept>
#include <utility>

namespace gridsmith {
namespace {

void say(const std::string& line) {
  std::fputs((line + "\n").c_str(), stdout);
  std::fflush(stdout);
}

/// In a folder that all users share: never through a link.
class Marker {
public:
  /// @throws std::runtime_error
  Marker(std::filesystem::path file, unsigned sm_clock_mhz) : file_(std::move(file)) {
    if (file_.empty())
      return;
    ::unlink(file_.c_str()); // of one who was killed
    descriptor_ = ::open(file_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644);
    const std::string text = std::to_string(sm_clock_mhz) + "\n";
    if (descriptor_ < 0 || ::flock(descriptor_, LOCK_EX | LOCK_NB) != 0 ||
        ::write(descriptor_, text.data(), text.size()) != static_cast<ssize_t>(text.size()))
      throw std::runtime_error(file_.string() + ": " + std::strerror(errno));
  }

  Marker(const Marker&) = delete;
  Marker& operator=(const Marker&) = delete;

  ~Marker() {
    if (descriptor_ >= 0)
      ::close(descriptor_);
  }

  void remove() const { ::unlink(file_.c_str()); }

private:
  std::filesystem::path file_;
  int descriptor_ = -1;
};

/// Until nobody holds the other end any more.
void wait_for_end() {
  char byte = 0;
  ssize_t got = 0;
  do
    got = ::read(STDIN_FILENO, &byte, 1);
  while (got > 0 || (got < 0 && errno == EINTR));
}

} // namespace

int restore_clocks(const std::string& uuid) {
  try {
    const Nvml nvml;
    nvml.restore_clocks(nvml.device(uuid));
    say("restored");
    return 0;
  } catch (const std::exception& error) {
    say(error.what());
    return 1;
  }
}

int hold_clocks(const std::string& uuid, unsigned sm_clock_mhz,
                const std::filesystem::path& marker) {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGPIPE})
    std::signal(signal, SIG_IGN);
  try {
    const Nvml nvml;
    const Nvml::Device device = nvml.device(uuid);
    Marker left(marker, sm_clock_mhz); // before the clock is locked: it may be there for nothing
    nvml.lock_clocks(device, sm_clock_mhz);
    say("locked");
    wait_for_end();
    nvml.restore_clocks(device);
    left.remove();
    return 0;
  } catch (const std::exception& error) {
    say(error.what());
    return 1;
  }
}

} // namespace gridsmith
