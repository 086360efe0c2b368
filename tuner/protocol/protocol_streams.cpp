#include "gridsmith/tuner/protocol/protocol_streams.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/resource.h>
#include <unistd.h>

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
  std::thread([descriptor] {
    // No events are asked for: only POLLERR (pipe without reader) and POLLHUP (socket) wake this.
    pollfd entry{.fd = descriptor, .events = 0, .revents = 0};
    while (::poll(&entry, 1, -1) < 0 && errno == EINTR) {
    }
    if ((entry.revents & (POLLERR | POLLHUP)) != 0)
      ::_exit(1);
  }).detach();
}

} // namespace gridsmith
