// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/tuner/cli/interrupts.hpp"

#include "gridsmith/tuner/cli/command.hpp"

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>

namespace gridsmith {
namespace {

/// What does not hear of a stop is ended: a driver that hangs, a locked store, an output that nobody
/// reads. What hears of it needs less.
constexpr int patience_ms = 1800;

sigset_t watched() {
  sigset_t set;
  ::sigemptyset(&set);
  ::sigaddset(&set, SIGINT);
  ::sigaddset(&set, SIGTERM);
  return set;
}

/// The children end with us, and what was measured is committed.
[[noreturn]] void end_now(const std::string& why) {
  note("interrupted (" + why + "); what was stored until now is kept");
  ::_exit(exit_interrupted);
}

} // namespace

Interrupts::Interrupts() {
  const sigset_t set = watched();
  ::pthread_sigmask(SIG_BLOCK, &set, nullptr);
  signals_ = ::signalfd(-1, &set, SFD_CLOEXEC);
  wake_ = ::eventfd(0, EFD_CLOEXEC);
  if (signals_ < 0 || wake_ < 0)
    throw std::system_error(errno, std::generic_category(), "signalfd");
  listener_ = std::thread([this] { listen(); });
}

Interrupts::~Interrupts() {
  const std::uint64_t one = 1;
  [[maybe_unused]] const auto written = ::write(wake_, &one, sizeof one);
  listener_.join();
  ::close(signals_);
  ::close(wake_);
  const sigset_t set = watched();
  ::pthread_sigmask(SIG_UNBLOCK, &set, nullptr);
}

void Interrupts::listen() {
  pollfd both[] = {{signals_, POLLIN, 0}, {wake_, POLLIN, 0}};
  using std::chrono::steady_clock;
  std::optional<steady_clock::time_point> end; // from the first signal on
  while (true) {
    const auto left = [&] {
      return std::chrono::ceil<std::chrono::milliseconds>(*end - steady_clock::now()).count();
    };
    const int limit = end ? static_cast<int>(std::max<std::int64_t>(0, left())) : -1;
    const int ready = ::poll(both, 2, limit);
    if (ready < 0)
      continue;
    if (both[1].revents)
      return;
    if (ready == 0)
      end_now("it did not stop by itself");
    signalfd_siginfo info;
    if (::read(signals_, &info, sizeof info) != sizeof info)
      continue;
    if (!requested_.request_stop())
      end_now("twice");
    end = steady_clock::now() + std::chrono::milliseconds(patience_ms);
  }
}

void end_when_interrupted() {
  const auto end = [](int) { // only what a signal handler may call
    constexpr std::string_view line = "gridsmith: interrupted\n";
    [[maybe_unused]] const auto written = ::write(STDERR_FILENO, line.data(), line.size());
    ::_exit(exit_interrupted);
  };
  std::signal(SIGINT, end);
  std::signal(SIGTERM, end);
}

} // namespace gridsmith
