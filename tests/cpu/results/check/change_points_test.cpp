// SPDX-License-Identifier: Apache-2.0
// Where a series changes its level: planted steps below what any one check would call, and none.
#include "gridsmith/base/random.hpp"
#include "gridsmith/results/check/change_points.hpp"
#include "gridsmith/tests/catch.hpp"

namespace change_points_test {

using namespace gridsmith;

namespace {

std::vector<double> series(std::uint64_t seed, std::size_t size, std::size_t step_at, double step) {
  Random random(seed);
  std::vector<double> values;
  for (std::size_t i = 0; i < size; ++i)
    values.push_back(0.004 * (unit(random) + unit(random) + unit(random) - 1.5) +
                     (i >= step_at ? step : 0));
  return values;
}

} // namespace

TEST_CASE("a step of 1 % between checks that scatter by half as much is found where it is") {
  int found = 0;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const auto changes = change_points(series(seed, 40, 25, 0.01));
    if (changes.size() == 1 && changes.front().at >= 24 && changes.front().at <= 26) {
      ++found;
      CHECK(changes.front().after - changes.front().before == Approx(0.01).margin(0.004));
      CHECK(changes.front().chance <= 0.01);
    }
  }
  CHECK(found >= 18);
}

TEST_CASE("a level that does not change has no change points") {
  int false_ones = 0;
  for (std::uint64_t seed = 1; seed <= 60; ++seed)
    false_ones += change_points(series(seed, 40, 40, 0)).empty() ? 0 : 1;
  CHECK(false_ones <= 2);
  CHECK(change_points(std::vector<double>(30, 1.0)).empty());
  CHECK(change_points(std::vector<double>{1, 2, 3}).empty());
  CHECK(change_points({}).empty());
}

TEST_CASE("two steps are two change points, and the same series has the same ones") {
  std::vector<double> values = series(3, 60, 20, 0.02);
  for (std::size_t i = 40; i < values.size(); ++i)
    values[i] -= 0.03;
  const auto changes = change_points(values);
  REQUIRE(changes.size() == 2);
  CHECK(changes[0].at == 20);
  CHECK(changes[1].at == 40);
  CHECK(changes[1].after < changes[1].before);
  CHECK(change_points(values).at(0).chance == changes[0].chance);
}

} // namespace change_points_test
