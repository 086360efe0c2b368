#include "gridsmith/tuner/processes/child_process.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <fstream>
#include <system_error>
#include <utility>

namespace gridsmith {

namespace {

constexpr int cannot_execute = 127; // the shell's word for it

/// In the child, between fork and exec: only calls that are safe there.
[[noreturn]] void become(const char* program, char* const* arguments, int socket, int courtesy,
                         pid_t tuner) {
  // A tuner that is killed takes its children with it, even one that is inside a long compilation.
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != tuner)
    ::_exit(cannot_execute);
  sigset_t none;
  ::sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr); // the tuner blocks what it reads as data
  ::dup2(socket, STDIN_FILENO);
  ::dup2(socket, STDOUT_FILENO);
  // Ctrl-C is the tuner's to answer; its children live until it lets them go.
  ::setpgid(0, 0);
  if (courtesy != 0 && ::nice(courtesy) == -1) {
    // A child that is not nice works all the same.
  }
  ::execv(program, arguments);
  ::_exit(cannot_execute);
}

std::string describe_status(int status) {
  if (WIFSIGNALED(status))
    return fmt::format("was killed by signal {} ({})", WTERMSIG(status),
                       strsignal(WTERMSIG(status)));
  if (WIFEXITED(status) && WEXITSTATUS(status) == cannot_execute)
    return "is not executable";
  return fmt::format("ended with exit code {}", WIFEXITED(status) ? WEXITSTATUS(status) : status);
}

} // namespace

ChildProcess ChildProcess::start(const std::filesystem::path& program,
                                 const std::vector<std::string>& arguments, int courtesy) {
  std::string name = program.string();
  std::vector<std::string> texts = arguments;
  std::vector<char*> pointers{name.data()};
  for (std::string& text : texts)
    pointers.push_back(text.data());
  pointers.push_back(nullptr);

  std::array<int, 2> ends{};
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) < 0)
    throw std::system_error(errno, std::generic_category(), "no socket for " + name);
  const pid_t tuner = ::getpid();
  const pid_t process = ::fork();
  if (process < 0) {
    const int error = errno;
    ::close(ends[0]);
    ::close(ends[1]);
    throw std::system_error(error, std::generic_category(), "cannot start " + name);
  }
  if (process == 0)
    become(name.c_str(), pointers.data(), ends[1], courtesy, tuner);
  ::close(ends[1]);
  ::fcntl(ends[0], F_SETFL, O_NONBLOCK);
  return ChildProcess(process, ends[0]);
}

ChildProcess::~ChildProcess() {
  if (process_ > 0) {
    ::kill(process_, SIGKILL);
    ::waitpid(process_, nullptr, 0);
  }
  if (socket_ >= 0)
    ::close(socket_);
}

ChildProcess::ChildProcess(ChildProcess&& other) noexcept
    : process_(std::exchange(other.process_, -1)), socket_(std::exchange(other.socket_, -1)),
      unsent_(std::move(other.unsent_)), sent_(std::exchange(other.sent_, 0)),
      buffer_(std::move(other.buffer_)), ending_(std::move(other.ending_)) {
}

ChildProcess& ChildProcess::operator=(ChildProcess&& other) noexcept {
  ChildProcess taken(std::move(other));
  std::swap(process_, taken.process_);
  std::swap(socket_, taken.socket_);
  std::swap(unsent_, taken.unsent_);
  std::swap(sent_, taken.sent_);
  std::swap(buffer_, taken.buffer_);
  std::swap(ending_, taken.ending_);
  return *this;
}

void ChildProcess::send(const Message& message) {
  const Bytes frame = encode(message);
  if (!has_unsent()) {
    unsent_.clear();
    sent_ = 0;
  }
  unsent_.insert(unsent_.end(), frame.begin(), frame.end());
  send_rest();
}

void ChildProcess::send_rest() {
  while (has_unsent()) {
    const ssize_t put =
        ::send(socket_, unsent_.data() + sent_, unsent_.size() - sent_, MSG_NOSIGNAL);
    if (put < 0 && errno == EINTR)
      continue;
    if (put < 0)
      return; // full: later; gone: receive() says so
    sent_ += static_cast<std::size_t>(put);
  }
}

bool ChildProcess::receive() {
  std::array<std::uint8_t, 65536> bytes;
  while (true) {
    const ssize_t got = ::recv(socket_, bytes.data(), bytes.size(), 0);
    if (got > 0) {
      buffer_.append(bytes.data(), static_cast<std::size_t>(got));
      continue;
    }
    if (got < 0 && errno == EINTR)
      continue;
    return got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK);
  }
}

void ChildProcess::hang_up() {
  if (socket_ >= 0)
    ::close(socket_);
  socket_ = -1;
}

void ChildProcess::kill() {
  if (process_ > 0)
    ::kill(process_, SIGKILL);
}

std::string ChildProcess::reap() {
  if (process_ <= 0)
    return ending_;
  int status = 0;
  // A child that closed its socket is about to end by itself; its own exit code says more.
  for (int i = 0; i < 200; ++i) {
    if (::waitpid(process_, &status, WNOHANG) == process_) {
      process_ = -1;
      return ending_ = describe_status(status);
    }
    ::usleep(5000);
  }
  kill();
  ::waitpid(process_, &status, 0);
  process_ = -1;
  return ending_ = describe_status(status);
}

std::size_t ChildProcess::resident_bytes() const {
  std::ifstream statm(fmt::format("/proc/{}/statm", process_));
  std::size_t total_pages = 0, resident_pages = 0;
  if (!(statm >> total_pages >> resident_pages))
    return 0;
  return resident_pages * static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
}

ProgramOutput run_program(const std::filesystem::path& program,
                          const std::vector<std::string>& arguments,
                          std::chrono::milliseconds limit) {
  ChildProcess child = ChildProcess::start(program, arguments);
  const auto end = std::chrono::steady_clock::now() + limit;
  pollfd descriptor{child.descriptor(), POLLIN, 0};
  bool alive = true;
  while (alive && std::chrono::steady_clock::now() < end) {
    ::poll(&descriptor, 1, 50);
    alive = child.receive();
  }
  if (alive)
    child.kill();
  std::string text = child.take_text();
  return {std::move(text), child.reap()};
}

} // namespace gridsmith
