// SPDX-License-Identifier: Apache-2.0
// How far two sizes are apart, and what near ones say of a model.
#include "gridsmith/results/selection/choice_rule.hpp"
#include "gridsmith/tests/catch.hpp"

#include <cmath>
#include <limits>

namespace choice_rule_test {

using namespace gridsmith;

TEST_CASE("The linear logarithm is that of powers of two and never far from it") {
  CHECK(log2_linear(1) == 0);
  CHECK(log2_linear(3) == 1.5);
  CHECK(log2_linear(0) == 0);
  CHECK(log2_linear(-5) == 0);
  for (int i = 0; i < 63; ++i)
    CHECK(log2_linear(std::int64_t{1} << i) == i);
  CHECK(log2_linear(std::numeric_limits<std::int64_t>::max()) == Approx(63));
  for (std::int64_t extent = 1; extent < 5000; ++extent) {
    CHECK(log2_linear(extent) < log2_linear(extent + 1));
    CHECK(std::abs(log2_linear(extent) - std::log2(static_cast<double>(extent))) < 0.0861);
  }
}

TEST_CASE("Doublings between sizes are added over the extents") {
  CHECK(doublings({{1024, 64}}, {{4096, 128}}) == 3);
  CHECK(doublings({{7, 9}}, {{7, 9}}) == 0);
  CHECK(doublings({{7}}, {{7, 1}}) == std::numeric_limits<double>::infinity());
}

TEST_CASE("A correction is what the nearest sizes say, and 1 far from all") {
  const std::vector<double> ratios = {1.2, 0.8, 0};
  CHECK(correction(std::vector<double>{0, 8, 0}, ratios) == Approx(1.2).epsilon(0.001));
  CHECK(correction(std::vector<double>{8, 0, 0}, ratios) == Approx(0.8).epsilon(0.001));
  CHECK(correction(std::vector<double>{2, 2, 0}, ratios) == Approx(1));
  CHECK(correction(std::vector<double>{60, 80, 0}, ratios) == Approx(1).epsilon(0.01));
  CHECK(correction({}, {}) == 1);
}

} // namespace choice_rule_test
