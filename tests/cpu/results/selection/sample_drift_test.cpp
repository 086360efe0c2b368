// SPDX-License-Identifier: Apache-2.0
// Times of series whose samples drift together.
#include "gridsmith/base/statistics.hpp"
#include "gridsmith/results/selection/sample_drift.hpp"
#include "gridsmith/tests/catch.hpp"

#include <algorithm>

namespace sample_drift_test {

using namespace gridsmith;

namespace {

double median_of(std::vector<double> samples) {
  std::sort(samples.begin(), samples.end());
  return median(samples);
}

/// A series whose later samples take half as long again.
std::vector<double> drifting(double time, std::size_t count) {
  std::vector<double> samples;
  for (std::size_t i = 0; i < count; ++i)
    samples.push_back(time * (i < 5 ? 1 : 1.5) * (i % 2 ? 1.001 : 1));
  return samples;
}

} // namespace

TEST_CASE("Series that share no drift keep their medians") {
  const std::vector<std::vector<double>> series = {
      {1, 1.2, 1.1}, {2, 2, 2.1}, {3}, {0.5, 0.45, 0.55}, {4, 4, 4}};
  const auto times = times_without_drift(series);
  REQUIRE(times.size() == series.size());
  for (std::size_t i = 0; i < series.size(); ++i)
    CHECK(times[i] == Approx(median_of(series[i])).epsilon(0.05));
  CHECK(times_without_drift({}).empty());
  const std::vector<std::vector<double>> alone = {{1, 3, 2}};
  CHECK(times_without_drift(alone)[0] == Approx(2));
}

TEST_CASE("A short series is not the faster one for the samples it has not") {
  std::vector<std::vector<double>> series = {drifting(1.0, 20), drifting(1.1, 5)};
  for (int i = 0; i < 10; ++i)
    series.push_back(drifting(1.5, i % 2 ? 20 : 5));
  REQUIRE(median_of(series[0]) > median_of(series[1]));
  const auto times = times_without_drift(series);
  CHECK(times[1] / times[0] == Approx(1.1).epsilon(0.005));
  CHECK(times[2] == Approx(times[3]).epsilon(0.005));
  CHECK(times[0] == Approx(1.5).epsilon(0.01)); // the level is that of whole series
}

} // namespace sample_drift_test
