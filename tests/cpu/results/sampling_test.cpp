// SPDX-License-Identifier: Apache-2.0
// When sampling stops.
#include "gridsmith/results/measurement/sampling.hpp"
#include "gridsmith/tests/catch.hpp"

namespace sampling_test {

using namespace gridsmith;

TEST_CASE("without a best nobody is pruned") {
  CHECK_FALSE(cannot_win(std::vector<double>{100}, std::nullopt));
  CHECK_FALSE(cannot_win(std::vector<double>{}, 1));
}

TEST_CASE("the fewer samples, the wider the margin") {
  CHECK_FALSE(cannot_win(std::vector<double>{1.25}, 1));
  CHECK(cannot_win(std::vector<double>{1.26}, 1));
  CHECK_FALSE(cannot_win(std::vector<double>{1.26, 1.10}, 1));
  CHECK(cannot_win(std::vector<double>{1.26, 1.11}, 1));
  CHECK_FALSE(cannot_win(std::vector<double>{1.26, 1.11, 1.03}, 1));
  CHECK(cannot_win(std::vector<double>{1.26, 1.11, 1.04}, 1));
}

TEST_CASE("one late launch of a short kernel does not lose the race") {
  CHECK_FALSE(cannot_win(std::vector<double>{0.010}, 0.005));
  CHECK(cannot_win(std::vector<double>{0.012}, 0.005));
}

TEST_CASE("sampling ends when the median is known, at the most samples, and after the most time") {
  const Sampling rules{.interval = 0.01, .min_samples = 5, .max_samples = 8, .max_ms = 100};
  CHECK(next_step({1, 1, 1, 1}, std::nullopt, rules) == NextStep::sample);
  CHECK(next_step({1, 1.001, 1, 1.002, 1}, std::nullopt, rules) == NextStep::settled);
  CHECK(next_step({1, 1.5, 1, 1.2, 1.1}, std::nullopt, rules) == NextStep::sample);
  CHECK(next_step({1, 1.5, 1, 1.2, 1.1, 1, 1.3, 1.4}, std::nullopt, rules) == NextStep::settled);
  CHECK(next_step({60, 50}, std::nullopt, rules) == NextStep::settled);
}

TEST_CASE("an interval wholly above the best is not made sharper") {
  const Sampling rules{.interval = 0.001, .min_samples = 5, .max_samples = 50, .max_ms = 100};
  const std::vector<double> above = {1.01, 1.02, 1.015, 1.012, 1.018};
  CHECK(next_step(above, 1.0, rules) == NextStep::prune);
  CHECK(next_step(above, 1.011, rules) == NextStep::sample);
}

TEST_CASE("rules that do not prune take no notice of the best") {
  const Sampling rules{.interval = 0.01, .max_samples = 50, .max_ms = 1000, .prune = false};
  CHECK(next_step({10}, 1.0, rules) == NextStep::sample);
  CHECK(next_step({10, 10, 10, 10, 10}, 1.0, rules) == NextStep::settled);
}

TEST_CASE("groups grow after the race") {
  const Sampling rules{.interval = 0.01, .min_samples = 5, .max_samples = 50, .max_ms = 100};
  CHECK(next_group(0, rules) == 1);
  CHECK(next_group(1, rules) == 1);
  CHECK(next_group(2, rules) == 3);
  CHECK(next_group(5, rules) == 2);
  CHECK(next_group(40, rules) == 10);
  CHECK(next_group(48, rules) == 2);
  std::size_t samples = 0;
  for (int i = 0; i < 100 && samples < rules.max_samples; ++i)
    samples += next_group(samples, rules);
  CHECK(samples == rules.max_samples);
}

TEST_CASE("short kernels are launched several times per sample") {
  CHECK(launches_per_sample(1.0) == 1);
  CHECK(launches_per_sample(0.020) == 1);
  CHECK(launches_per_sample(0.010) == 5);
  CHECK(launches_per_sample(0.0) == 256);
}

} // namespace sampling_test
