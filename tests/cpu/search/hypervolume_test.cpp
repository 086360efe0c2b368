// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/base/random.hpp"
#include "gridsmith/search/models/hypervolume.hpp"
#include "gridsmith/tests/catch.hpp"

#include <cmath>
#include <random>
#include <vector>

namespace hypervolume_test {

using namespace gridsmith;

namespace {

using Point = CostFront::Point;

/// Growth by one point, counted on a fine grid: slow and plain.
double grown_by(const CostFront& front, Point corner, Point point) {
  constexpr int cells = 400;
  const double left = -1, bottom = -1; // below all points of these tests
  double grown = 0;
  for (int x = 0; x < cells; ++x)
    for (int y = 0; y < cells; ++y) {
      const Point at{left + (corner.first - left) * (x + 0.5) / cells,
                     bottom + (corner.second - bottom) * (y + 0.5) / cells};
      bool dominated = false;
      for (const Point& one : front.points())
        dominated = dominated || (one.first <= at.first && one.second <= at.second);
      grown += !dominated && point.first <= at.first && point.second <= at.second;
    }
  return grown * (corner.first - left) / cells * (corner.second - bottom) / cells;
}

Eigen::ArrayXf one(double value) {
  return Eigen::ArrayXf::Constant(1, static_cast<float>(value));
}

} // namespace

TEST_CASE("the front is what no other point dominates") {
  const CostFront front({{3, 1}, {1, 3}, {2, 2}, {2, 2.5}, {3, 3}, {1, 4}});
  REQUIRE(front.points().size() == 3);
  CHECK(front.points()[0].second == 3);
  CHECK(front.points()[1].first == 2);
  CHECK(front.area() == Approx(1 * 2 + 1 * 3 + 2 * 4)); // the corner is (5, 5)
}

TEST_CASE("a certain point adds what a grid counts") {
  const CostFront front({{0.2, 0.9}, {0.5, 0.4}, {0.8, 0.1}});
  const Point corner{0.8 + 0.6, 0.9 + 0.8};
  constexpr double certain = 1e-4;
  for (const Point point : {Point{0.1, 0.5},
                            {0.3, 0.3},
                            {0.6, 0.6},
                            {0.7, 0.05},
                            {-0.5, -0.5},
                            {0.85, 0.05},
                            {0.05, 1.0}}) {
    CAPTURE(point.first, point.second);
    const double expected = grown_by(front, corner, point);
    CHECK(front.expected_growth(one(point.first), one(certain), one(point.second),
                                one(certain))[0] == Approx(expected).margin(0.01));
  }
}

TEST_CASE("an uncertain point adds what many draws of it add on average") {
  const CostFront front({{0.2, 0.9}, {0.5, 0.4}, {0.8, 0.1}});
  const Point corner{1.4, 1.7};
  std::mt19937_64 random(7);
  std::normal_distribution<double> first(0.45, 0.2), second(0.5, 0.3);
  double sum = 0, free = 0;
  constexpr int draws = 4000;
  for (int i = 0; i < draws; ++i) {
    const Point drawn{first(random), second(random)};
    const double grown = CostFront(front).expected_growth(one(drawn.first), one(1e-4),
                                                          one(drawn.second), one(1e-4))[0];
    sum += grown;
    bool dominated = drawn.first > corner.first || drawn.second > corner.second;
    for (const Point& other : front.points())
      dominated =
          dominated || (other.first <= drawn.first + 0.01 && other.second <= drawn.second + 0.01);
    free += !dominated;
  }
  CHECK(front.expected_growth(one(0.45), one(0.2), one(0.5), one(0.3))[0] ==
        Approx(sum / draws).epsilon(0.06));
  CHECK(front.chance({0.45, 0.5}, {0.2, 0.3}, 0.01) == Approx(free / draws).epsilon(0.06));
}

} // namespace hypervolume_test
