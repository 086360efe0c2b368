// SPDX-License-Identifier: Apache-2.0
// Children of a host with threads that come and go.
#include "gridsmith/tests/catch.hpp"
#include "gridsmith/tuner/processes/child_process.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <optional>
#include <thread>

namespace child_threads_test {

using namespace gridsmith;
using namespace std::chrono_literals;

TEST_CASE("a child outlives the thread that started it") {
  std::optional<ChildProcess> child;
  std::thread([&] { child.emplace(ChildProcess::start("/bin/cat")); }).join();
  std::this_thread::sleep_for(50ms);
  CHECK(child->receive()); // still there
  child->hang_up();        // cat ends at the end of its input
  CHECK(child->reap() == "ended with exit code 0");
}

TEST_CASE("many children from two threads at once, none sees another's") {
  std::atomic<int> wrong = 0;
  const auto start_many = [&](int code) {
    for (int i = 0; i < 100; ++i) {
      const ProgramOutput output =
          run_program("/bin/sh", {"-c", "echo /proc/self/fd/*; exit " + std::to_string(code)}, 10s);
      wrong += output.ended != "ended with exit code " + std::to_string(code);
      // 3: the folder, while the shell lists it
      wrong += output.text.find("/proc/self/fd/4") != std::string::npos;
    }
  };
  std::thread first(start_many, 1), second(start_many, 2);
  first.join();
  second.join();
  CHECK(wrong == 0);
}

TEST_CASE("a host that waits for any child takes no child away") {
  std::atomic<bool> stop = false;
  std::thread greedy([&] {
    while (!stop)
      if (::waitpid(-1, nullptr, WNOHANG) <= 0)
        std::this_thread::yield();
  });
  int understood = 0;
  for (int i = 0; i < 50; ++i) {
    const ProgramOutput output = run_program("/bin/echo", {"said"}, 10s);
    CHECK(output.text == "said\n");
    understood += output.ended == "ended with exit code 0" ||
                  output.ended.find("exit status is unknown") != std::string::npos;
    ChildProcess killed = ChildProcess::start("/bin/sleep", {"100"});
    killed.kill();
    killed.reap();
  }
  stop = true;
  greedy.join();
  CHECK(understood == 50);
}

} // namespace child_threads_test
