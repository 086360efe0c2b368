#include "gridsmith/tuner/cli/interrupts.hpp"

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <csignal>
#include <cstdint>
#include <system_error>

namespace gridsmith {
namespace {

constexpr int interrupted = 130; // 128 + SIGINT, as shells report it

sigset_t watched() {
  sigset_t set;
  ::sigemptyset(&set);
  ::sigaddset(&set, SIGINT);
  ::sigaddset(&set, SIGTERM);
  return set;
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
  while (true) {
    if (::poll(both, 2, -1) < 0)
      continue;
    if (both[1].revents)
      return;
    signalfd_siginfo info;
    if (::read(signals_, &info, sizeof info) != sizeof info)
      continue;
    if (!requested_.request_stop())
      ::_exit(interrupted); // the children end with us; what was measured is committed
  }
}

} // namespace gridsmith
