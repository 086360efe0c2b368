// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/tests/catch.hpp"
#include "gridsmith/tuner/worker/steps/best_time.hpp"

#include <thread>
#include <vector>

namespace best_time_test {

using namespace gridsmith;

TEST_CASE("the lowest time offered by anybody is the one to beat") {
  BestTime best;
  CHECK_FALSE(best.ms());
  best.offer(std::nullopt);
  CHECK_FALSE(best.ms());
  std::vector<std::thread> threads;
  for (int thread = 0; thread < 4; ++thread)
    threads.emplace_back([&best, thread] {
      for (int i = 1000; i > 0; --i)
        best.offer(4.0 * i + thread);
    });
  for (std::thread& thread : threads)
    thread.join();
  CHECK(best.ms() == 4.0);
  best.offer(5.0);
  CHECK(best.ms() == 4.0);
}

} // namespace best_time_test
