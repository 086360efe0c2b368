// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/search/models/hypervolume.hpp"
#include "gridsmith/search/strategies/strategy.hpp"
#include "gridsmith/tests/catch.hpp"

#include <cmath>
#include <ctime>
#include <string>
#include <vector>

namespace front_test {

using namespace gridsmith;

namespace {

Parameter numbers(const std::string& name, std::vector<std::int64_t> values) {
  return {name, {values.begin(), values.end()}};
}

/// Time falls with the tile until it does not fit, and with less precision, whose error grows.
Observation observation(const SearchSpace& space, ConfigurationId id) {
  const auto value = [&](std::size_t parameter) {
    return to_number(space.at(id)[parameter].second);
  };
  const double tile = value(0), precision = value(1), unroll = value(2), swizzle = value(3);
  Observation one{.id = id};
  if (tile * precision > 512)
    return one; // shared memory
  const double time = (1 + std::pow(std::log2(tile / 64), 2) * 0.15) * (0.3 + precision / 6) *
                      (1 + 0.05 * std::pow(unroll - 3, 2)) * (swizzle == 1 ? 0.9 : 1);
  one.cost = time;
  one.second_cost = std::pow(2, -4 * precision) * (1 + 0.1 * std::log2(tile));
  return one;
}

double area_of(const std::vector<Observation>& told, const std::vector<Observation>& all) {
  std::vector<CostFront::Point> points, whole;
  for (const Observation& one : told)
    if (one.cost)
      points.push_back({std::log(*one.cost), std::log(*one.second_cost)});
  for (const Observation& one : all)
    if (one.cost)
      whole.push_back({std::log(*one.cost), std::log(*one.second_cost)});
  const CostFront best(whole);
  if (points.empty())
    return 0;
  // Both against the corner of the whole front: a point far out stands for it.
  const CostFront::Point corner{best.points().back().first, best.points().front().second};
  const auto within = [&](const CostFront& front) {
    double sum = 0, top = corner.second;
    for (const auto& point : front.points()) {
      if (point.first > corner.first || point.second > top)
        continue;
      sum += (corner.first - point.first) * (top - point.second);
      top = point.second;
    }
    return sum;
  };
  return within(CostFront(points)) / within(best);
}

std::vector<Observation> search(const SearchSpace& space, const char* name, std::uint64_t seed,
                                std::size_t evaluations) {
  const auto strategy = make_strategy(name, {.space = space, .seed = seed});
  std::vector<Observation> told;
  while (told.size() < evaluations) {
    const auto ids = strategy->ask(1);
    if (ids.empty())
      break;
    told.push_back(observation(space, ids.front()));
    strategy->tell({&told.back(), 1});
  }
  return told;
}

} // namespace

TEST_CASE("the front's strategy finds more of the front than random draws, seed by seed") {
  const SearchSpace space =
      SearchSpace::build({numbers("TILE", {8, 16, 32, 64, 128, 256}),
                          numbers("PRECISION", {1, 2, 4, 8}), numbers("UNROLL", {1, 2, 3, 4, 5, 6}),
                          numbers("SWIZZLE", {0, 1}), numbers("VECTOR", {1, 2, 4})});
  std::vector<Observation> all;
  all.reserve(space.size());
  for (ConfigurationId id = 0; id < space.size(); ++id)
    all.push_back(observation(space, id));
  double sum = 0, drawn = 0;
  int better = 0;
  constexpr int seeds = 10;
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    const double found = area_of(search(space, "front", seed, 40), all);
    const double random = area_of(search(space, "random", seed, 40), all);
    better += found > random;
    sum += found / seeds;
    drawn += random / seeds;
  }
  CAPTURE(drawn);
  CHECK(sum > 0.97);
  CHECK(better >= 9);
}

TEST_CASE("thousands of answers that failed cost what hundreds do") {
  const SearchSpace space = SearchSpace::build({numbers("TILE", {1, 2, 3, 4, 5, 6, 7, 8, 9, 10}),
                                                numbers("UNROLL", {1, 2, 3, 4, 5, 6, 7, 8, 9, 10}),
                                                numbers("SWIZZLE", {0, 1, 2, 3, 4, 5}),
                                                numbers("VECTOR", {1, 2, 4, 8, 16})});
  const auto strategy = make_strategy("front", {.space = space, .seed = 3});
  const auto seconds_of = [&](std::size_t answers) {
    const std::clock_t begin = std::clock();
    for (std::size_t i = 0; i < answers; ++i) {
      const auto ids = strategy->ask(1);
      REQUIRE(ids.size() == 1);
      const Observation failed{.id = ids.front()};
      strategy->tell({&failed, 1});
    }
    return static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
  };
  seconds_of(500);
  const double early = seconds_of(500);
  seconds_of(1500);
  CHECK(seconds_of(500) < 4 * early);
}

TEST_CASE("answers without a second cost count as failures once any has one") {
  const SearchSpace space =
      SearchSpace::build({numbers("TILE", {8, 16, 32, 64}), numbers("PRECISION", {1, 2, 4, 8})});
  const auto strategy = make_strategy("front", {.space = space, .seed = 3});
  for (std::size_t i = 0; i < space.size(); ++i) {
    const auto ids = strategy->ask(1);
    REQUIRE(ids.size() == 1);
    const Observation one{.id = ids.front(),
                          .cost = 1.0 + static_cast<double>(i),
                          .second_cost = i % 2 == 0 ? std::nullopt : std::optional(2.0)};
    strategy->tell({&one, 1});
  }
  CHECK(strategy->ask(1).empty());
}

} // namespace front_test
