// SPDX-License-Identifier: Apache-2.0
// Ctrl-C and --seconds end the real program within two seconds, whatever it is doing, and the best
// so far is shown; what ends it otherwise leaves no helper, and what stops it for a while changes
// nothing. The fakes hang where they are told to.
#include "gridsmith/results/store/store.hpp"
#include "gridsmith/tests/catch.hpp"
#include "gridsmith/tests/cpu/tuner/fake_script.hpp"
#include "gridsmith/tests/cpu/tuner/program.hpp"

#include <nlohmann/json.hpp>
#include <sys/stat.h>

#include <chrono>
#include <csignal>
#include <fstream>
#include <thread>
#include <vector>

namespace interrupt_test {

using namespace gridsmith;
using test::Program;
using namespace std::chrono_literals;
namespace fs = std::filesystem;

namespace {

using Clock = std::chrono::steady_clock;

constexpr auto promised = 2000ms, slack = 700ms; // for a machine with other work

std::vector<std::string> tune(const Program& program, const fs::path& kernel,
                              const std::vector<std::string>& more = {}) {
  std::vector<std::string> words = {"tune",         kernel.string(),
                                    "--store",      (program.folder() / "store.db").string(),
                                    "--exhaustive", "--no-cache",
                                    "--compilers",  "1",
                                    "--timeout",    "600"};
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

std::size_t recorded(const Program& program) {
  const fs::path store = program.folder() / "store.db";
  if (!fs::exists(store))
    return 0;
  std::size_t count = 0;
  for (const Scope& scope : Store::open(store, Store::Mode::read_only).scopes())
    count += scope.configurations;
  return count;
}

/// Starts, sends Ctrl-C when so many configurations are recorded and some time has gone by, and
/// checks code and time.
void interrupt(const Program& program, const std::vector<std::string>& words, std::size_t after) {
  const pid_t pid = program.start(words);
  const auto patience = Clock::now() + 20s;
  while (recorded(program) < after && Clock::now() < patience)
    std::this_thread::sleep_for(20ms);
  std::this_thread::sleep_for(400ms);
  const auto asked = Clock::now();
  ::kill(pid, SIGINT);
  CHECK(Program::wait(pid) == 130);
  CHECK(Clock::now() - asked < promised + slack);
  CHECK_THAT(program.err(), contains_text("interrupted"));
}

/// Runs with --seconds 1 and checks that it was heard.
int out_of_time(const Program& program, std::vector<std::string> words) {
  words.insert(words.end(), {"--seconds", "1"});
  const auto begun = Clock::now();
  const int code = program.run(words);
  CHECK(Clock::now() - begun < 1s + promised + slack);
  return code;
}

} // namespace

TEST_CASE("interrupted while the devices are asked for") {
  const Program program;
  test::script(program.folder(), {{"devices", "hang"}});
  interrupt(program, tune(program, test::write_kernel(program.folder(), "k", 8)), 0);
}

TEST_CASE("interrupted while another program keeps the store locked") {
  const Program program;
  const fs::path store = program.folder() / "store.db";
  {
    Store::open(store, Store::Mode::read_write);
  }
  const Database other = Database::open(store, Database::Mode::read_write);
  const Transaction lock(other);
  interrupt(program, tune(program, test::write_kernel(program.folder(), "k", 8)), 0);
}

TEST_CASE("interrupted, or out of time, while the worker starts") {
  const Program program;
  const fs::path kernel = test::write_kernel(program.folder(), "k", 8);
  test::script(program.folder(), R"({"works": [{"does": "hang"}]})"_json);
  interrupt(program, tune(program, kernel), 0);
  CHECK(recorded(program) == 0);
  CHECK_THAT(program.err(), contains_text("interrupted before anything was measured"));
  CHECK_THAT(program.out(), !contains_text("Stored in"));
  CHECK(out_of_time(program, tune(program, kernel)) == 1);
  CHECK_THAT(program.err(), contains_text("the time ran out before anything was measured"));
}

TEST_CASE("interrupted, or out of time, in the search") {
  const Program program;
  const fs::path kernel =
      test::write_kernel(program.folder(), "k", 8, "RUN", R"(["fine", "hang"])");
  interrupt(program, tune(program, kernel), 1);
  CHECK_THAT(program.out(), contains_text("not measured again: interrupted"));
  const std::size_t kept = recorded(program);
  CHECK(kept > 0);
  CHECK(kept < 16);
  CHECK(out_of_time(program, tune(program, kernel)) == 0);
  CHECK_THAT(program.out(), contains_text("not measured again: the time ran out"));
  CHECK(recorded(program) == kept); // nothing of what was abandoned
}

TEST_CASE("interrupted, or out of time, in the finals") {
  const Program program;
  const fs::path kernel = test::write_kernel(program.folder(), "k", 8);
  test::script(program.folder(), R"({"launches": [{"mode": "final", "does": "hang"}]})"_json);
  interrupt(program, tune(program, kernel), 8);
  CHECK_THAT(program.out(), contains_text("X=7"));
  CHECK_THAT(program.out(), contains_text("not measured again: interrupted"));
  CHECK(out_of_time(program, tune(program, kernel, {"--json"})) == 0);
  const auto answer = nlohmann::json::parse(program.out());
  CHECK(answer["best"]["configuration"]["X"] == 7);
  CHECK(answer["measured_again"] == false);
}

TEST_CASE("interrupted while nobody reads the answer") {
  const Program program;
  const fs::path fifo = program.folder() / "out.stdout";
  REQUIRE(::mkfifo(fifo.c_str(), 0600) == 0);
  const int reader = ::open(fifo.c_str(), O_RDWR | O_NONBLOCK);
  while (::write(reader, "full", 4) == 4) {
  }
  interrupt(program, tune(program, test::write_kernel(program.folder(), "k", 8)), 0);
  ::close(reader);
}

namespace {

/// A tuning whose launches take their time, in a process group of its own.
struct LongTuning {
  Program program;
  test::Program shell{"/bin/sh"};
  pid_t pid = -1;
  std::vector<pid_t> helpers;

  explicit LongTuning(const std::string& options,
                      const test::Script& script = {{"real_time", true}}, std::size_t least = 5) {
    test::script(program.folder(), script);
    const fs::path kernel = test::write_kernel(program.folder(), "k", 120);
    pid = shell.start({"-c", "exec setsid '" + (program.folder() / "bin" / "gridsmith").string() +
                                 "' tune '" + kernel.string() + "' --store '" +
                                 (program.folder() / "store.db").string() +
                                 "' --exhaustive --no-cache --compilers 2 " + options});
    const auto patience = Clock::now() + 20s;
    while ((recorded(program) < least || children().empty()) && Clock::now() < patience)
      std::this_thread::sleep_for(20ms);
    helpers = children();
  }

  ~LongTuning() { signal(SIGKILL); }

  void signal(int number) const {
    for (const pid_t helper : helpers)
      if (!is_over(helper))
        ::kill(helper, number);
    if (!is_over(pid))
      ::kill(-pid, number);
  }

  /// Not there, or only waiting for its parent to ask.
  static bool is_over(pid_t process) { return state_of(process, nullptr) == 'Z'; }

private:
  static char state_of(pid_t process, pid_t* parent) {
    std::ifstream stat("/proc/" + std::to_string(process) + "/stat");
    std::string number, name;
    char state = 'Z';
    pid_t its_parent = -1;
    stat >> number >> name >> state >> its_parent;
    if (parent)
      *parent = its_parent;
    return state;
  }

  std::vector<pid_t> children() const {
    std::vector<pid_t> found;
    for (const auto& entry : fs::directory_iterator("/proc")) {
      const std::string name = entry.path().filename();
      if (name.find_first_not_of("0123456789") != std::string::npos)
        continue;
      pid_t parent = -1;
      if (state_of(std::stoi(name), &parent) != 'Z' && parent == pid)
        found.push_back(std::stoi(name));
    }
    return found;
  }
};

} // namespace

TEST_CASE("however a tuning is ended, no helper outlives it") {
  struct Row {
    const char* what;
    int number;
    bool group;
  };

  for (const Row& row :
       {Row{"the terminal is closed", SIGHUP, false}, Row{"timeout, kill", SIGTERM, false},
        Row{"Ctrl-\\", SIGQUIT, true}, Row{"a machine for tests ends the job", SIGKILL, true}}) {
    INFO(row.what);
    const LongTuning tuning("");
    REQUIRE(tuning.helpers.size() == 3); // two compilers, a worker
    ::kill(row.group ? -tuning.pid : tuning.pid, row.number);
    Program::wait(tuning.pid);
    const auto patience = Clock::now() + 3s;
    for (const pid_t helper : tuning.helpers) {
      while (!LongTuning::is_over(helper) && Clock::now() < patience)
        std::this_thread::sleep_for(10ms);
      CHECK(LongTuning::is_over(helper));
    }
  }
}

TEST_CASE("who asks for the devices outlives nobody either") {
  const LongTuning tuning("", {{"devices", "hang"}}, 0);
  REQUIRE(tuning.helpers.size() > 0);
  ::kill(tuning.pid, SIGKILL);
  Program::wait(tuning.pid);
  std::this_thread::sleep_for(1s);
  for (const pid_t helper : tuning.helpers)
    CHECK(LongTuning::is_over(helper));
}

TEST_CASE("a tuning that is stopped for longer than a launch may take blames nobody") {
  const LongTuning tuning("--timeout 1");
  REQUIRE(tuning.helpers.size() == 3);
  ::kill(-tuning.pid, SIGSTOP); // Ctrl-Z: helpers go on until they have nothing to do
  std::this_thread::sleep_for(2500ms);
  ::kill(-tuning.pid, SIGCONT);
  std::this_thread::sleep_for(100ms);
  tuning.signal(SIGSTOP); // a container that is paused
  std::this_thread::sleep_for(2500ms);
  ::kill(-tuning.pid, SIGCONT);
  std::this_thread::sleep_for(300ms); // the tuner looks before the worker can have answered
  tuning.signal(SIGCONT);
  CHECK(Program::wait(tuning.pid) == 0);
  INFO(tuning.shell.err() << tuning.shell.out());
  const Store store = Store::open(tuning.program.folder() / "store.db", Store::Mode::read_only);
  REQUIRE(store.scopes().size() == 1);
  CHECK(store.scopes().front().configurations == 120);
  CHECK(store.scopes().front().correct == 120);
}

} // namespace interrupt_test
