// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/tuner/protocol/protocol_streams.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <system_error>
#include <thread>

namespace gridsmith {

int take_protocol_output() {
  std::signal(SIGPIPE, SIG_IGN);
  const rlimit none{0, 0};
  ::setrlimit(RLIMIT_CORE, &none); // a crash costs one configuration, not gigabytes on the disk
  const int output = ::fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
  if (output < 0 || ::dup2(STDERR_FILENO, STDOUT_FILENO) < 0)
    throw std::system_error(errno, std::generic_category(), "cannot set the output aside");
  return output;
}

void end_when_unread(int descriptor) {
  // Of a tuner that has forked, its fork holds the other end too. -1, which poll ignores: unknown.
  const auto tuner = static_cast<int>(::syscall(SYS_pidfd_open, ::getppid(), 0));
  std::thread([descriptor, tuner] {
    // No events are asked for: only POLLERR (pipe without reader) and POLLHUP (socket) wake this.
    std::array<pollfd, 2> entries{{{descriptor, 0, 0}, {tuner, POLLIN, 0}}};
    while (::poll(entries.data(), entries.size(), -1) < 0 && errno == EINTR) {
    }
    if ((entries[0].revents & (POLLERR | POLLHUP)) != 0 || entries[1].revents != 0)
      ::_exit(1);
  }).detach();
}

} // namespace gridsmith
