// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/results/measurement/comparison.hpp"
#include "gridsmith/tests/catch.hpp"
#include "gridsmith/tests/cpu/results/sample.hpp"

#include <algorithm>

namespace comparison_test {

using namespace gridsmith;

namespace {

Recording recording_of(std::vector<Measurement> rows) {
  Recording recording = sample_recording();
  recording.measurements = std::move(rows);
  return recording;
}

Measurement times(std::vector<double> samples) {
  Measurement row = sample_measurement(16, false, 1);
  row.times_ms = std::move(samples);
  return row;
}

} // namespace

TEST_CASE("what both recordings hold is compared, whatever the order of rows and parameters") {
  Measurement turned = sample_measurement(16, false, 2);
  std::reverse(turned.configuration.begin(), turned.configuration.end());
  Measurement pruned = sample_measurement(64, true, 9);
  pruned.pruned_early = true;
  const Comparison found = compare(
      recording_of({sample_measurement(16, false, 1), sample_measurement(32, false, 4),
                    sample_measurement(32, true, 3), sample_measurement(64, false, 1),
                    sample_failure(8, Status::runtime, ""), pruned}),
      recording_of({sample_measurement(32, true, 3), sample_measurement(32, false, 3), turned,
                    sample_failure(64, Status::runtime, ""), sample_measurement(8, false, 1),
                    sample_measurement(64, true, 9), sample_measurement(4, false, 1)}));
  REQUIRE(found.common.size() == 3); // one that was pruned early has no time to compare
  CHECK(found.common[0].ratio() == 2);
  CHECK(found.common[1].ratio() == 1);
  CHECK(found.common[2].ratio() == 0.75);
  CHECK(median_ratio(found) == 1.0);
  CHECK(found.only_before == 0);
  CHECK(found.only_after == 1);
  REQUIRE(found.now_failing.size() == 1);
  CHECK(*find_value(found.now_failing[0], "tile") == Value(std::int64_t{64}));
  REQUIRE(found.now_correct.size() == 1);
  CHECK(*find_value(found.now_correct[0], "tile") == Value(std::int64_t{8}));
}

TEST_CASE("nothing in common has no ratio") {
  const Comparison found = compare(recording_of({sample_measurement(16, false, 1)}),
                                   recording_of({sample_measurement(32, false, 1)}));
  CHECK_FALSE(median_ratio(found));
  CHECK(found.only_before == 1);
  CHECK(found.only_after == 1);
}

TEST_CASE("two times are told apart by their intervals, and not by few samples") {
  const Measurement low = times({1, 1.01, 1.02, 1.03, 1.04, 1.05, 1.06});
  const Measurement high = times({2, 2.01, 2.02, 2.03, 2.04, 2.05, 2.06});
  CHECK(told_apart(low, high) == true);
  CHECK(told_apart(high, low) == true);
  CHECK(told_apart(low, low) == false);
  CHECK_FALSE(told_apart(low, times({2, 2, 2, 2, 2})));
  CHECK_FALSE(told_apart(times({}), low));
}

} // namespace comparison_test
