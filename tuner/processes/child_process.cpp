// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/tuner/processes/child_process.hpp"

#include "gridsmith/base/version.hpp"
#include "gridsmith/tuner/processes/pauses.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <fstream>
#include <system_error>
#include <utility>

namespace gridsmith {

namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

constexpr auto by_descriptor = static_cast<idtype_t>(3); // P_PIDFD, which older headers lack

[[noreturn]] void fail(int error, const std::string& what) {
  throw std::system_error(error, std::generic_category(), what);
}

/// The same, and no standard descriptor, which a host may have closed.
int above_standard(int descriptor) {
  if (descriptor < 0 || descriptor > STDERR_FILENO)
    return descriptor;
  const int higher = ::fcntl(descriptor, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
  ::close(descriptor);
  return higher;
}

/// Our standard error. A terminal is opened again, to write alone: it is mostly open for reading too,
/// and a process of another session that reads it takes what the user types. -1: the child has none.
int standard_error() {
  const int flags = ::fcntl(STDERR_FILENO, F_GETFL), at_exec = ::fcntl(STDERR_FILENO, F_GETFD);
  // Closed by the host, or taken by something of ours that ends with exec.
  if (flags < 0 || at_exec < 0 || (at_exec & FD_CLOEXEC) != 0)
    return -1;
  if ((flags & O_ACCMODE) == O_WRONLY || ::isatty(STDERR_FILENO) == 0)
    return STDERR_FILENO;
  return above_standard(::open("/proc/self/fd/2", O_WRONLY | O_NOCTTY | O_CLOEXEC));
}

/// What the child gets and does before it becomes the program. posix_spawn shares the host's memory
/// until then: no copy of a large host's page tables, none of its fork handlers, and a program that
/// cannot be executed is known at once.
class SpawnPlan {
public:
  explicit SpawnPlan(int socket) {
    ::posix_spawn_file_actions_init(&files_);
    ::posix_spawnattr_init(&attributes_);
    ::posix_spawn_file_actions_adddup2(&files_, socket, STDIN_FILENO);
    ::posix_spawn_file_actions_adddup2(&files_, socket, STDOUT_FILENO);
    if (error_ < 0)
      ::posix_spawn_file_actions_addopen(&files_, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    else if (error_ != STDERR_FILENO)
      ::posix_spawn_file_actions_adddup2(&files_, error_, STDERR_FILENO);
    ::posix_spawn_file_actions_addclosefrom_np(&files_, STDERR_FILENO + 1);
    sigset_t none, all;
    ::sigemptyset(&none);
    ::sigfillset(&all);
    ::posix_spawnattr_setsigmask(&attributes_, &none);
    ::posix_spawnattr_setsigdefault(&attributes_, &all);
    ::posix_spawnattr_setflags(&attributes_,
                               POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSID);
  }

  ~SpawnPlan() {
    ::posix_spawn_file_actions_destroy(&files_);
    ::posix_spawnattr_destroy(&attributes_);
    if (error_ > STDERR_FILENO)
      ::close(error_);
  }

  SpawnPlan(const SpawnPlan&) = delete;
  SpawnPlan& operator=(const SpawnPlan&) = delete;

  /// @return 0 or the error.
  int run(pid_t& process, char* const* words, char* const* environment) const {
    return ::posix_spawn(&process, words[0], &files_, &attributes_, words, environment);
  }

private:
  const int error_ = standard_error();
  posix_spawn_file_actions_t files_;
  posix_spawnattr_t attributes_;
};

/// Two connected sockets.
std::array<int, 2> connected_sockets(const std::string& program) {
  std::array<int, 2> ends{};
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) < 0)
    fail(errno, "no socket for " + program);
  for (int& end : ends)
    end = above_standard(end);
  ::fcntl(ends[0], F_SETFL, O_NONBLOCK);
  return ends;
}

/// From outside: the host's own niceness stays, and a child that is not nice works all the same.
void make_nice(pid_t process, int niceness) {
  errno = 0;
  const int ours = ::getpriority(PRIO_PROCESS, 0);
  if (niceness != 0 && errno == 0)
    ::setpriority(PRIO_PROCESS, static_cast<id_t>(process), ours + niceness);
}

/// As exec takes them: pointers to the texts, and a null one.
std::vector<char*> pointers_to(std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  pointers.reserve(texts.size() + 1);
  for (std::string& text : texts)
    pointers.push_back(text.data());
  pointers.push_back(nullptr);
  return pointers;
}

std::string describe(const siginfo_t& end) {
  // As shells and the loader end where something cannot be started.
  if (end.si_code == CLD_EXITED && end.si_status == 127)
    return "ended with exit code 127: it, or a library that it needs, is missing";
  if (end.si_code == CLD_EXITED)
    return fmt::format("ended with exit code {}", end.si_status);
  const char* name = ::sigdescr_np(end.si_status);
  return fmt::format("was killed by signal {} ({})", end.si_status, name ? name : "unknown");
}

/// Signals of which the program itself is not the cause. A bus error is a file that changed or a
/// disk that is full while it was mapped: a library that is being replaced.
bool comes_from_outside(const siginfo_t& end) {
  constexpr std::array<int, 7> signals{SIGKILL, SIGTERM, SIGINT, SIGHUP, SIGQUIT, SIGXCPU, SIGBUS};
  return end.si_code != CLD_EXITED &&
         std::find(signals.begin(), signals.end(), end.si_status) != signals.end();
}

} // namespace

void check_version(const Hello& hello, const std::filesystem::path& program) {
  if (hello.version != version())
    throw HelperError(fmt::format("{} is of Gridsmith {}, this is Gridsmith {}: they must be of "
                                  "one version",
                                  program.string(), hello.version, version()));
}

void refuse_stranger(const std::filesystem::path& program) {
  throw HelperError(
      fmt::format("{} did not begin with its version, this is Gridsmith {}: they must "
                  "be of one version",
                  program.string(), version()));
}

ChildProcess ChildProcess::start(const std::filesystem::path& program,
                                 const std::vector<std::string>& arguments, int niceness,
                                 std::vector<std::string> environment) {
  const std::string name = program.string();
  std::vector<std::string> texts = arguments;
  texts.insert(texts.begin(), name);
  const std::vector<char*> words = pointers_to(texts), variables = pointers_to(environment);
  const std::array<int, 2> ends = connected_sockets(name);
  pid_t process = -1;
  const int error = SpawnPlan(ends[1]).run(process, words.data(),
                                           environment.empty() ? environ : variables.data());
  ::close(ends[1]);
  if (error != 0) {
    ::close(ends[0]);
    if (error == EAGAIN || error == ENOMEM)
      fail(error, "no process for " + name);
    throw HelperError(fmt::format("cannot start {}: {}", name, std::strerror(error)));
  }
  make_nice(process, niceness);
  // The system hands numbers out in turn, so this one is still the child's even if a host that
  // waits for any child has reaped it already.
  const int descriptor = above_standard(static_cast<int>(::syscall(SYS_pidfd_open, process, 0)));
  return {process, descriptor, ends[0]};
}

ChildProcess::ChildProcess(pid_t process, int process_descriptor, int socket)
    : process_(process), process_descriptor_(process_descriptor), socket_(socket) {
}

ChildProcess::~ChildProcess() {
  if (process_ > 0) {
    kill();
    wait(std::nullopt);
  }
  hang_up();
}

ChildProcess::ChildProcess(ChildProcess&& other) noexcept
    : process_(std::exchange(other.process_, -1)),
      process_descriptor_(std::exchange(other.process_descriptor_, -1)),
      socket_(std::exchange(other.socket_, -1)), unsent_(std::move(other.unsent_)),
      sent_(std::exchange(other.sent_, 0)), buffer_(std::move(other.buffer_)),
      ending_(std::move(other.ending_)), ended_well_(other.ended_well_),
      ended_from_outside_(other.ended_from_outside_), end_signal_(other.end_signal_),
      exit_code_(other.exit_code_) {
}

ChildProcess& ChildProcess::operator=(ChildProcess&& other) noexcept {
  ChildProcess taken(std::move(other));
  std::swap(process_, taken.process_);
  std::swap(process_descriptor_, taken.process_descriptor_);
  std::swap(socket_, taken.socket_);
  std::swap(unsent_, taken.unsent_);
  std::swap(sent_, taken.sent_);
  std::swap(buffer_, taken.buffer_);
  std::swap(ending_, taken.ending_);
  std::swap(ended_well_, taken.ended_well_);
  std::swap(ended_from_outside_, taken.ended_from_outside_);
  std::swap(end_signal_, taken.end_signal_);
  std::swap(exit_code_, taken.exit_code_);
  return *this;
}

void ChildProcess::send(const Message& message) {
  send_bytes(encode(message));
}

void ChildProcess::send_bytes(Bytes bytes) {
  if (has_unsent()) {
    unsent_.insert(unsent_.end(), bytes.begin(), bytes.end());
  } else {
    unsent_ = std::move(bytes);
    sent_ = 0;
  }
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
  unsent_ = {};
  sent_ = 0;
}

bool ChildProcess::receive() {
  constexpr int most_reads = 64; // 4 MiB: a child that never stops talking must not hold us here
  std::array<std::uint8_t, 65536> bytes;
  for (int reads = 0; reads < most_reads; ++reads) {
    const ssize_t got = ::recv(socket_, bytes.data(), bytes.size(), 0);
    if (got > 0) {
      buffer_.append(bytes.data(), static_cast<std::size_t>(got));
      continue;
    }
    if (got < 0 && errno == EINTR)
      continue;
    return got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK);
  }
  return true; // poll says that there is more
}

void ChildProcess::hang_up() {
  if (socket_ >= 0)
    ::close(socket_);
  socket_ = -1;
}

void ChildProcess::set_niceness(int niceness) {
  if (process_ > 0)
    make_nice(process_, niceness);
}

void ChildProcess::kill() {
  if (process_ <= 0)
    return;
  const auto signal = [&](int number) {
    return ::syscall(SYS_pidfd_send_signal, process_descriptor_, number, nullptr, 0);
  };
  // With all that it started: it leads a session. While it is not reaped its number is its own.
  if (process_descriptor_ >= 0 && signal(0) == 0 && ::getpgid(process_) == process_)
    ::kill(-process_, SIGKILL);
  if (process_descriptor_ >= 0)
    signal(SIGKILL);
  else if (!has_ended()) // its number may be another's by now
    ::kill(process_, SIGKILL);
}

/// The number and the descriptor are the child's no longer.
void ChildProcess::forget() {
  if (process_descriptor_ >= 0)
    ::close(process_descriptor_);
  process_descriptor_ = -1;
  process_ = -1;
}

bool ChildProcess::has_ended() {
  if (process_ <= 0)
    return true;
  siginfo_t end{};
  const bool known = process_descriptor_ >= 0;
  if (::waitid(known ? by_descriptor : P_PID,
               static_cast<id_t>(known ? process_descriptor_ : process_), &end,
               WEXITED | WNOHANG) == 0) {
    if (end.si_pid == 0)
      return false;
    ending_ = describe(end);
    ended_well_ = end.si_code == CLD_EXITED && end.si_status == 0;
    ended_from_outside_ = comes_from_outside(end);
    (end.si_code == CLD_EXITED ? exit_code_ : end_signal_) = end.si_status;
  } else if (known && errno == EINVAL) { // a system that has descriptors, but cannot wait by them
    ::close(std::exchange(process_descriptor_, -1));
    return has_ended();
  } else {
    ending_ =
        "ended, but its exit status is unknown: other code in this process reaps its children";
  }
  forget();
  return true;
}

/// Until it has ended, at most `limit`. False: it runs on.
bool ChildProcess::wait(std::optional<std::chrono::milliseconds> limit) {
  constexpr auto look = 5ms; // without a descriptor
  const auto end = limit ? Clock::now() + *limit : Clock::time_point::max();
  while (!has_ended()) {
    const auto now = Clock::now();
    if (now >= end)
      return false;
    const auto left = limit ? std::chrono::ceil<std::chrono::milliseconds>(end - now) : 1000ms;
    pollfd entry{process_descriptor_, POLLIN, 0};
    const auto nap =
        process_descriptor_ >= 0 ? left : std::min<std::chrono::milliseconds>(left, look);
    ::poll(&entry, 1, static_cast<int>(nap.count())); // a negative descriptor only naps
  }
  return true;
}

std::string ChildProcess::reap() {
  // A child that closed its socket is about to end by itself; its own exit code says more.
  if (!wait(1000ms)) {
    kill();
    wait(std::nullopt);
  }
  return ending_;
}

std::optional<std::size_t> ChildProcess::resident_bytes() const {
  std::ifstream statm(fmt::format("/proc/{}/statm", process_));
  std::size_t total_pages = 0, resident_pages = 0;
  if (!(statm >> total_pages >> resident_pages))
    return std::nullopt;
  return resident_pages * static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
}

ProgramOutput run_program(const std::filesystem::path& program,
                          const std::vector<std::string>& arguments,
                          std::chrono::milliseconds limit, std::vector<std::string> environment) {
  constexpr std::size_t most_text = std::size_t{64} << 20; // a disassembly; more is no answer
  ChildProcess child = ChildProcess::start(program, arguments, 0, std::move(environment));
  Pauses pauses;
  auto end = Clock::now() + limit;
  std::vector<pollfd> descriptor{{child.descriptor(), POLLIN, 0}};
  bool alive = true;
  while (alive && Clock::now() < end && child.unread() <= most_text) {
    wait_for_some(descriptor, end);
    end += pauses.late_by();
    alive = child.receive();
  }
  if (alive)
    child.kill();
  ProgramOutput output{child.take_text(), child.reap()};
  output.good = child.ended_well();
  output.exit_code = child.exit_code();
  return output;
}

} // namespace gridsmith
