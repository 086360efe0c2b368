// The clock is restored whatever ends the tuner.
#include "gridsmith/tests/catch.hpp"
#include "gridsmith/tests/cpu/tuner/fake_programs.hpp"
#include "gridsmith/tuner/processes/clock_lock.hpp"

#include <sys/wait.h>

#include <csignal>
#include <cstdlib>
#include <thread>

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

} // namespace

TEST_CASE("a locked clock is restored at the end") {
  const Setup setup;
  {
    const ClockLock lock(programs, "GPU-0", 1500);
    CHECK(setup.text() == "locked\n");
  }
  CHECK(setup.text() == "locked\nrestored\n");
}

TEST_CASE("a locked clock is restored when the tuner is killed") {
  const Setup setup;
  const pid_t tuner = ::fork();
  if (tuner == 0) {
    const ClockLock lock(programs, "GPU-0", 1500);
    ::raise(SIGKILL);
  }
  ::waitpid(tuner, nullptr, 0);
  for (int i = 0; i < 200 && setup.text() != "locked\nrestored\n"; ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  CHECK(setup.text() == "locked\nrestored\n");
}

TEST_CASE("a clock that may not be locked is one clear line") {
  const Setup setup;
  CHECK_THROWS_WITH(ClockLock(programs, "GPU-0", 1), contains_text("Insufficient Permissions"));
  CHECK(setup.text().empty());
}
