// SPDX-License-Identifier: Apache-2.0
// The clock is restored whatever ends the tuner.
#include "gridsmith/tests/catch.hpp"
#include "gridsmith/tests/cpu/tuner/fake_programs.hpp"
#include "gridsmith/tuner/processes/clock_lock.hpp"

#include <nlohmann/json.hpp>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <functional>
#include <thread>

namespace clock_lock_test {

using namespace gridsmith;

namespace {

const std::filesystem::path programs = GRIDSMITH_PROGRAMS_DIR;

struct Setup {
  Setup() {
    ::setenv("LD_LIBRARY_PATH", GRIDSMITH_BINARY_DIR "/tests/fake_nvml", 1);
    ::setenv("FAKE_NVML_LOG", log().c_str(), 1);
  }

  std::filesystem::path log() const { return folder.path() / "log"; }

  std::string text() const {
    std::ifstream in(log());
    return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  }

  test::Folder folder;
};

bool eventually(const std::function<bool()>& is_so) {
  for (int i = 0; i < 500 && !is_so(); ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  return is_so();
}

} // namespace

TEST_CASE("a locked clock is restored at the end") {
  const Setup setup;
  {
    const ClockLock lock(programs, setup.folder.path(), "GPU-0", 1500);
    CHECK(setup.text() == "locked\n");
  }
  CHECK(setup.text() == "locked\nrestored\n");
}

TEST_CASE("a locked clock is restored when the tuner is killed") {
  const Setup setup;
  const pid_t tuner = ::fork();
  if (tuner == 0) {
    const ClockLock lock(programs, setup.folder.path(), "GPU-0", 1500);
    ::raise(SIGKILL);
  }
  ::waitpid(tuner, nullptr, 0);
  for (int i = 0; i < 200 && setup.text() != "locked\nrestored\n"; ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  CHECK(setup.text() == "locked\nrestored\n");
}

TEST_CASE(
    "a clock that was left locked by processes that were killed is restored by the next, 100 times") {
  const Setup setup;
  const std::filesystem::path& markers = setup.folder.path();
  std::string expected;
  for (int i = 0; i < 100; ++i) {
    CAPTURE(i);
    const pid_t tuner = ::fork();
    if (tuner == 0) {
      const ClockLock lock(programs, markers, "GPU-0", 1500);
      std::ifstream children("/proc/self/task/" + std::to_string(::getpid()) + "/children");
      for (pid_t holder = 0; children >> holder;)
        ::kill(holder, SIGKILL); // and then the tuner
      ::raise(SIGKILL);
    }
    ::waitpid(tuner, nullptr, 0);
    expected += "locked\n";
    REQUIRE(eventually([&] { return left_clock(markers, "GPU-0") == 1500; }));
    CHECK(setup.text() == expected);
    std::string said;
    restore_left_clock(programs, markers, "GPU-0", [&](const std::string& line) { said = line; });
    CHECK(
        said ==
        "the SM clock was left locked at 1500 MHz by a Gridsmith that was killed; it is restored");
    expected += "restored\n";
    CHECK(setup.text() == expected);
    CHECK_FALSE(left_clock(markers, "GPU-0"));
  }
}

TEST_CASE("a clock that is held is not a left one, and none is left at the end") {
  const Setup setup;
  const std::filesystem::path& markers = setup.folder.path();
  {
    const ClockLock lock(programs, markers, "GPU-0", 1500);
    CHECK_FALSE(left_clock(markers, "GPU-0"));
  }
  CHECK_FALSE(left_clock(markers, "GPU-0"));
  restore_left_clock(programs, markers, "GPU-0", {});
  CHECK(setup.text() == "locked\nrestored\n");
}

TEST_CASE("the processes of a device are listed whole, each once") {
  const Setup setup;
  ::setenv("FAKE_NVML_PROCESSES", "1", 1);
  const auto output = run_program(programs / "gridsmith-worker", {"--processes", "GPU-0"},
                                  std::chrono::seconds(10));
  ::unsetenv("FAKE_NVML_PROCESSES");
  const auto json = nlohmann::json::parse(output.text);
  CHECK(json["reason"].get<std::string>().empty());
  REQUIRE(json["processes"].size() == 201);
  CHECK(json["processes"][0] == nlohmann::json({{"pid", 1000000}, {"mib", 0}}));
  CHECK(json["processes"][5] == nlohmann::json({{"pid", 1000005}, {"mib", 5}}));
  CHECK(json["processes"][200]["pid"] == 2000000);
  const auto none = run_program(programs / "gridsmith-worker", {"--processes", "GPU-0"},
                                std::chrono::seconds(10));
  CHECK(nlohmann::json::parse(none.text)["processes"].empty());
}

TEST_CASE("a clock that may not be locked is one clear line") {
  const Setup setup;
  CHECK_THROWS_WITH(ClockLock(programs, setup.folder.path(), "GPU-0", 1),
                    contains_text("Insufficient Permissions"));
  CHECK(setup.text().empty());
}

} // namespace clock_lock_test
