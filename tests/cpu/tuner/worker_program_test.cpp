// SPDX-License-Identifier: Apache-2.0
// The real worker as a process, as far as it goes without a device.
#include "gridsmith/base/version.hpp"
#include "gridsmith/tests/catch.hpp"
#include "gridsmith/tuner/processes/child_process.hpp"
#include "gridsmith/tuner/protocol/messages.hpp"

#include <nlohmann/json.hpp>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <csignal>
#include <fstream>
#include <string>

namespace worker_program_test {

using namespace gridsmith;

namespace {

/// The worker at the other end of a socket. Killed and reaped at the end.
class Worker {
public:
  Worker() {
    std::array<int, 2> ends{};
    REQUIRE(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) == 0);
    process_ = ::fork();
    if (process_ == 0) {
      ::dup2(ends[1], STDIN_FILENO);
      ::dup2(ends[1], STDOUT_FILENO);
      const char* program = GRIDSMITH_PROGRAMS_DIR "/gridsmith-worker";
      ::execl(program, program, static_cast<char*>(nullptr));
      ::_exit(127);
    }
    ::close(ends[1]);
    socket_ = ends[0];
  }

  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;

  ~Worker() {
    ::close(socket_);
    if (process_ > 0) {
      ::kill(process_, SIGKILL);
      ::waitpid(process_, nullptr, 0);
    }
  }

  int socket() const { return socket_; }

  /// "NoNewPrivs" -> "1", as the system says it of the process.
  std::string fact(const std::string& name) const {
    std::ifstream status("/proc/" + std::to_string(process_) + "/status");
    for (std::string line; std::getline(status, line);)
      if (line.starts_with(name + ":\t"))
        return line.substr(name.size() + 2);
    return "";
  }

  int exit_code() {
    int status = 0;
    ::waitpid(process_, &status, 0);
    process_ = -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }

private:
  pid_t process_ = -1;
  int socket_ = -1;
};

} // namespace

TEST_CASE("the worker says its version first and refuses a device that is not there") {
  Worker worker;
  const auto hello = read_message(worker.socket());
  REQUIRE(hello);
  CHECK(std::get<Hello>(*hello).version == version());
  write_message(worker.socket(),
                UseDevice{.ordinal = 9999, .device_code = nullptr, .counters = {}});
  const auto answer = read_message(worker.socket());
  REQUIRE(answer);
  const auto& refused = std::get<WorkRefused>(*answer);
  CHECK(refused.no_device);
  CHECK_THAT(refused.reason, contains_text("no usable device"));
  CHECK_FALSE(read_message(worker.socket()));
  CHECK(worker.exit_code() == 1);
}

TEST_CASE("a worker is confined before it is told anything") {
  Worker worker;
  REQUIRE(read_message(worker.socket()));
  CHECK(worker.fact("NoNewPrivs") == "1");
}

TEST_CASE("a worker that is told anything before its work ends with an error") {
  Worker worker;
  REQUIRE(read_message(worker.socket()));
  write_message(worker.socket(), EvaluateBatch{});
  CHECK_FALSE(read_message(worker.socket()));
  CHECK(worker.exit_code() == 1);
}

TEST_CASE("a worker asked for the counters of no device says so, and ends well") {
  const ProgramOutput output = run_program(GRIDSMITH_PROGRAMS_DIR "/gridsmith-worker",
                                           {"--counters", "9999"}, std::chrono::seconds(30));
  INFO(output.text);
  CHECK(output.good);
  const auto said = nlohmann::json::parse(output.text);
  CHECK((said.at("code").is_null() || said.at("code") == 15)); // there are others, or none
  CHECK(said.at("message") != "");
}

} // namespace worker_program_test
