// SPDX-License-Identifier: Apache-2.0
// What a child has of its host, how it ends, and what the host learns of that, whatever the host
// does with signals and children.
#include "gridsmith/base/version.hpp"
#include "gridsmith/tests/catch.hpp"
#include "gridsmith/tests/cpu/tuner/fake_programs.hpp"
#include "gridsmith/tuner/processes/child_process.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <thread>

namespace child_process_test {

using namespace gridsmith;
using namespace std::chrono_literals;

namespace {

const std::filesystem::path fake_compiler = GRIDSMITH_BINARY_DIR "/tests/fake_compiler";

std::string shell(const std::string& command) {
  return run_program("/bin/sh", {"-c", command}, 10s).text;
}

/// Not there, or only waiting for its parent to ask.
bool is_gone(pid_t process) {
  std::ifstream stat("/proc/" + std::to_string(process) + "/stat");
  std::string number, name, state;
  return !(stat >> number >> name >> state) || state == "Z";
}

std::optional<Message> wait_for_message(ChildProcess& child) {
  const auto end = std::chrono::steady_clock::now() + 10s;
  while (std::chrono::steady_clock::now() < end) {
    pollfd entry{child.descriptor(), POLLIN, 0};
    ::poll(&entry, 1, 100);
    const bool alive = child.receive();
    if (auto message = child.next())
      return message;
    if (!alive)
      return std::nullopt;
  }
  return std::nullopt;
}

/// Something process-wide of the host, changed for as long as this lives.
class SignalAction {
public:
  SignalAction(int signal, void (*handler)(int)) : signal_(signal) {
    struct sigaction wanted{};
    wanted.sa_handler = handler;
    ::sigaction(signal, &wanted, &before_);
  }

  ~SignalAction() { ::sigaction(signal_, &before_, nullptr); }

  SignalAction(const SignalAction&) = delete;
  SignalAction& operator=(const SignalAction&) = delete;

private:
  int signal_;
  struct sigaction before_{};
};

} // namespace

TEST_CASE("how a program ended is said in words") {
  CHECK(run_program("/bin/sh", {"-c", "exit 3"}, 10s).ended == "ended with exit code 3");
  CHECK_FALSE(run_program("/bin/sh", {"-c", "exit 3"}, 10s).good);
  CHECK(run_program("/bin/sh", {"-c", "kill -SEGV $$"}, 10s).ended ==
        "was killed by signal 11 (Segmentation fault)");
  const ProgramOutput output = run_program("/bin/echo", {"two words"}, 10s);
  CHECK(output.text == "two words\n");
  CHECK(output.good);
  CHECK(run_program("/bin/sleep", {"100"}, 50ms).ended == "was killed by signal 9 (Killed)");
}

TEST_CASE("a program that cannot be executed is one line at once") {
  CHECK_THROWS_AS(ChildProcess::start("/nowhere/program"), HelperError);
  CHECK_THROWS_WITH(ChildProcess::start("/nowhere/program"),
                    "cannot start /nowhere/program: No such file or directory");
  CHECK_THROWS_AS(ChildProcess::start("/etc/passwd"), HelperError);
}

TEST_CASE("no descriptor of the host is visible in the child") {
  // Not marked close-on-exec, as a careless host has them.
  const int first = ::open("/dev/null", O_RDONLY);
  const int high = ::fcntl(first, F_DUPFD, 200);
  const std::string seen = run_program("/bin/ls", {"/proc/self/fd"}, 10s).text;
  CHECK(seen == "0\n1\n2\n3\n"); // 3 is the folder that ls reads
  ::close(first);
  ::close(high);
}

TEST_CASE("the child's signals are fresh, the host's stay as they are") {
  const SignalAction ignored(SIGPIPE, SIG_IGN);
  sigset_t some, before, after;
  ::sigemptyset(&some);
  ::sigaddset(&some, SIGUSR1);
  ::pthread_sigmask(SIG_BLOCK, &some, &before);
  const std::string signals = shell("grep -E 'Sig(Blk|Ign|Cgt)' /proc/self/status");
  ::pthread_sigmask(SIG_SETMASK, &before, &after);
  CHECK_THAT(signals, contains_text("SigBlk:\t0000000000000000"));
  const auto ignored_at = signals.find("SigIgn:");
  REQUIRE(ignored_at != std::string::npos);
  // But 32 and 33, which are the C library's own.
  CHECK((std::stoull(signals.substr(ignored_at + 7), nullptr, 16) & ~0x180000000ULL) == 0);
  CHECK(::sigismember(&after, SIGUSR1) == 1);
  struct sigaction now{};
  ::sigaction(SIGPIPE, nullptr, &now);
  CHECK(now.sa_handler == SIG_IGN);
}

TEST_CASE("a child is as nice as asked, in a session of its own") {
  const ChildProcess child = ChildProcess::start("/bin/sleep", {"100"}, 5);
  CHECK(::getpriority(PRIO_PROCESS, static_cast<id_t>(child.id())) ==
        ::getpriority(PRIO_PROCESS, 0) + 5);
  CHECK(::getpgid(child.id()) == child.id());
  CHECK(::getsid(child.id()) == child.id());
}

TEST_CASE("a host that has closed its standard streams gets its answer") {
  const int input = ::dup(STDIN_FILENO), error = ::dup(STDERR_FILENO);
  ::close(STDIN_FILENO);
  ::close(STDERR_FILENO);
  const std::string said = shell("echo said; echo unheard >&2");
  ::dup2(input, STDIN_FILENO);
  ::dup2(error, STDERR_FILENO);
  ::close(input);
  ::close(error);
  CHECK(said == "said\n");
}

TEST_CASE("a child writes to the terminal, and reads nothing that is typed there") {
  const int master = ::posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
  REQUIRE((master >= 0 && ::grantpt(master) == 0 && ::unlockpt(master) == 0));
  const int terminal = ::open(::ptsname(master), O_RDWR | O_NOCTTY | O_CLOEXEC);
  const int error = ::fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 100);
  ::dup2(terminal, STDERR_FILENO);
  const bool typed = ::write(master, "typed\n", 6) == 6;
  const std::string said = shell("read -r line <&2; echo \"[$line]\"; echo seen >&2");
  ::dup2(error, STDERR_FILENO);
  std::string screen(200, '\0');
  const ssize_t shown = ::read(master, screen.data(), screen.size());
  for (const int one : {error, terminal, master})
    ::close(one);
  REQUIRE(typed);
  CHECK(said == "[]\n");
  screen.resize(static_cast<std::size_t>(std::max<ssize_t>(shown, 0)));
  CHECK_THAT(screen, contains_text("seen"));
}

TEST_CASE("a host without standard streams starts one child after the other") {
  // What is opened next gets the free numbers: the first child's descriptors must not.
  std::array<int, 3> kept{};
  for (int i = 0; i < 3; ++i) {
    kept.at(static_cast<std::size_t>(i)) = ::fcntl(i, F_DUPFD_CLOEXEC, 100);
    ::close(i);
  }
  std::string said;
  bool first_is_free = false;
  {
    const ChildProcess first = ChildProcess::start("/bin/sleep", {"100"});
    first_is_free = ::fcntl(0, F_GETFD) < 0 && ::fcntl(1, F_GETFD) < 0 && ::fcntl(2, F_GETFD) < 0;
    const int ours = ::open("/dev/null", O_RDWR | O_CLOEXEC); // 0
    const int more = ::fcntl(ours, F_DUPFD_CLOEXEC, 2);       // 2: ends with exec
    said = shell("echo heard >&2 && echo said");
    ::close(more);
    ::close(ours);
  }
  for (int i = 0; i < 3; ++i) {
    ::dup2(kept.at(static_cast<std::size_t>(i)), i);
    ::close(kept.at(static_cast<std::size_t>(i)));
  }
  CHECK(first_is_free);
  CHECK(said == "said\n");
}

TEST_CASE("under ignored SIGCHLD a child can be started, killed and asked") {
  const SignalAction ignored(SIGCHLD, SIG_IGN);
  const ProgramOutput output = run_program("/bin/echo", {"said"}, 10s);
  CHECK(output.text == "said\n");
  CHECK_THAT(output.ended, contains_text("exit status is unknown"));
  pid_t number = 0;
  {
    ChildProcess child = ChildProcess::start("/bin/sleep", {"100"});
    number = child.id();
    CHECK_FALSE(is_gone(number));
  }
  CHECK(is_gone(number));
}

TEST_CASE("the destructor ends the child, a moved-from one has none") {
  ChildProcess child = ChildProcess::start("/bin/sleep", {"100"});
  const pid_t number = child.id();
  ChildProcess other = std::move(child);
  CHECK_FALSE(is_gone(number));
  other = ChildProcess::start("/bin/sleep", {"100"});
  CHECK(is_gone(number));
}

TEST_CASE("messages larger than a socket's buffer arrive whole") {
  ChildProcess child = ChildProcess::start(fake_compiler);
  REQUIRE(std::holds_alternative<Hello>(wait_for_message(child).value()));
  CompileJob job;
  job.request.source = make_bundle({"k.cu", std::string(5'000'000, 'x')});
  job.request.options = {std::string(3'000'000, 'y')};
  child.send(job);
  CHECK(child.has_unsent());
  std::optional<Message> answer;
  const auto end = std::chrono::steady_clock::now() + 20s;
  while (!answer && std::chrono::steady_clock::now() < end) {
    child.send_rest();
    const auto wanted = static_cast<short>(POLLIN | (child.has_unsent() ? POLLOUT : 0));
    pollfd entry{child.descriptor(), wanted, 0};
    ::poll(&entry, 1, 100);
    REQUIRE(child.receive());
    answer = child.next();
  }
  REQUIRE(answer);
  CHECK(std::get<CodeObject>(*answer).cubin->size() > 3'000'000);
}

namespace {

/// @param forks the tuner has a child that is not ours, and lives on with copies of all it had
void check_killed_tuner(bool forks) {
  std::array<int, 2> pipe{};
  REQUIRE(::pipe2(pipe.data(), O_CLOEXEC) == 0);
  const pid_t tuner = ::fork();
  if (tuner == 0) {
    ChildProcess idle = ChildProcess::start(fake_compiler);
    ChildProcess hanging = ChildProcess::start(fake_compiler);
    CompileJob job;
    job.request.options = {"-DCOMPILE=hang"};
    hanging.send(job);
    const bool greeted = wait_for_message(idle) && wait_for_message(hanging);
    const pid_t other = forks ? ::fork() : -1;
    if (other == 0) {
      std::this_thread::sleep_for(1h);
      ::_exit(0);
    }
    const std::array<pid_t, 3> numbers{greeted ? idle.id() : 0, hanging.id(), other};
    if (::write(pipe[1], numbers.data(), sizeof numbers) < 0)
      ::_exit(1);
    std::this_thread::sleep_for(1h);
    ::_exit(0);
  }
  std::array<pid_t, 3> children{};
  REQUIRE(::read(pipe[0], children.data(), sizeof children) == sizeof children);
  ::close(pipe[0]);
  ::close(pipe[1]);
  REQUIRE(children[0] > 0);
  std::this_thread::sleep_for(100ms);
  for (const std::size_t i : {0, 1})
    CHECK_FALSE(is_gone(children.at(i)));
  ::kill(tuner, SIGKILL);
  ::waitpid(tuner, nullptr, 0);
  std::this_thread::sleep_for(1s);
  for (const std::size_t i : {0, 1})
    CHECK(is_gone(children.at(i)));
  if (forks) {
    CHECK_FALSE(is_gone(children[2]));
    ::kill(children[2], SIGKILL);
  }
}

} // namespace

TEST_CASE("children of a tuner that is killed are gone within a second") {
  check_killed_tuner(false);
}

TEST_CASE("… also where that has forked, so that their sockets stay open") {
  check_killed_tuner(true);
}

TEST_CASE("library and helper of different versions are one line with both") {
  const std::string ours(version());
  CHECK_NOTHROW(check_version(Hello{ours, "", ""}, "/opt/helper"));
  try {
    check_version(Hello{"99.1", "", ""}, "/opt/helper");
    FAIL("no error");
  } catch (const HelperError& error) {
    CHECK_THAT(error.what(), contains_text("/opt/helper is of Gridsmith 99.1"));
    CHECK_THAT(error.what(), contains_text("this is Gridsmith " + ours));
  }
}

} // namespace child_process_test
