// SPDX-License-Identifier: Apache-2.0
// The fewest configurations that serve every measured size.
#include "gridsmith/base/error.hpp"
#include "gridsmith/base/random.hpp"
#include "gridsmith/results/selection/cover.hpp"
#include "gridsmith/tests/catch.hpp"
#include "gridsmith/tests/cpu/results/selection/made_up.hpp"

#include <bit>
#include <limits>

namespace cover_test {

using namespace gridsmith;

namespace {

using Set = std::vector<std::size_t>;

/// The size of the smallest set, by trying all.
int fewest_by_trying(const SizeTable& table, double worst_loss) {
  const auto best = least_costs(table);
  const std::size_t count = table.configurations.size();
  int fewest = 99;
  for (unsigned set = 1; set < 1U << count; ++set) {
    bool serves = true;
    for (std::size_t p = 0; p < best.size() && serves; ++p) {
      double time = std::numeric_limits<double>::infinity();
      for (std::size_t c = 0; c < count; ++c)
        if ((set >> c & 1) && table.cell(p, c).state == CellState::measured)
          time = std::min(time, table.cell(p, c).cost);
      serves = time <= best[p] * worst_loss;
    }
    if (serves)
      fewest = std::min(fewest, std::popcount(set));
  }
  return fewest;
}

} // namespace

TEST_CASE("A set is of those that were measured everywhere, where they are good enough") {
  SizeTable table = table_of({{1, 1.02, 1.3}, {1.3, 1.02, 1}, {1, 1.02, 1.3}});
  table.cells[6].state = CellState::not_measured; // of the first configuration
  CHECK(cover(table).configurations == Set{1});
  CHECK(cover(table, {.worst_loss = 1.01}).configurations == Set{0, 1, 2});
  CHECK(cover(table, {.worst_loss = 1.01, .known_worst_loss = 1.03}).configurations == Set{1, 2});
  table.cells[4].state = CellState::not_measured;
  CHECK(cover(table, {.worst_loss = 1.01, .known_worst_loss = 1.03}).configurations.size() > 1);
}

TEST_CASE("A cover is as small as can be where the greedy one is not") {
  // the first serves four sizes, but the two others all six
  const SizeTable table =
      table_of({{1, 1, 2}, {1, 1, 2}, {2, 1, 2}, {1, 2, 1}, {1, 2, 1}, {2, 2, 1}});
  const Cover found = cover(table);
  CHECK(found.configurations == Set{1, 2});
  CHECK(found.loss.worst == 1);
  REQUIRE(found.curve.size() == 2);
  CHECK(found.curve[0].loss.worst == 2);
  CHECK(found.curve[1].loss.worst == 1);
}

TEST_CASE("The size of a cover is that of the smallest set there is, for random tables") {
  Random random(3);
  for (int round = 0; round < 100; ++round) {
    std::vector<std::vector<double>> rows(7, std::vector<double>(9));
    for (auto& row : rows)
      for (double& time : row)
        time = below(random, 8) == 0 ? 0 : 1 + 0.2 * unit(random);
    const SizeTable table = table_of(rows);
    const Cover found = cover(table, {.worst_loss = 1.04});
    CHECK(static_cast<int>(found.configurations.size()) == fewest_by_trying(table, 1.04));
    CHECK(found.loss.worst <= 1.04 + 1e-9);
    for (std::size_t i = 1; i < found.curve.size(); ++i)
      CHECK(found.curve[i].loss.worst <= found.curve[i - 1].loss.worst);
  }
}

TEST_CASE("Of sets of one size the one of the lowest mean is taken") {
  const SizeTable table = table_of({{1.02, 1.01, 1}, {1.02, 1.01, 2}});
  CHECK(cover(table).configurations == Set{1});
}

TEST_CASE("What failed or was wrong at any size is never in a set") {
  const SizeTable table = table_of({{1, 1.01, 2}, {-1, 1, 2}, {1, -2, 2}});
  CHECK(shippable(table) == Set{2});
  const Cover found = cover(table);
  CHECK(found.configurations == Set{2});
  CHECK(found.loss.worst == 2); // against the best of the size, shipped or not
  const SizeTable none = table_of({{1, 1}, {-1, -2}});
  CHECK_THROWS_WITH(cover(none), contains_text("problem 1024: no configuration"));
}

TEST_CASE("A configuration that is invalid somewhere serves where it is valid") {
  const SizeTable table = table_of({{1, 1.5}, {0, 1}});
  CHECK(cover(table).configurations == Set{0, 1});
  const SizeTable untried = [&] {
    SizeTable changed = table;
    changed.cells[0].state = CellState::not_measured;
    return changed;
  }();
  CHECK(shippable(untried) == Set{1});
}

TEST_CASE("A previous set stays where it is as good, and only there") {
  const SizeTable table = table_of({{1, 1.01}, {1, 1.01}});
  CHECK(cover(table).configurations == Set{0});
  CHECK(cover(table, {.previous = {named(1)}}).configurations == Set{1});
  const SizeTable slower = table_of({{1, 1.01}, {1, 1.06}});
  CHECK(cover(slower, {.previous = {named(1)}}).configurations == Set{0});
  const SizeTable failing = table_of({{1, 1.01}, {1, -1}});
  CHECK(cover(failing, {.previous = {named(1)}}).configurations == Set{0});
}

TEST_CASE("A loss below 1 is refused") {
  CHECK_THROWS_WITH(cover(table_of({{1, 2}}), {.worst_loss = 0.03}),
                    contains_text("worst loss 0.03: expected 1 or more"));
}

} // namespace cover_test
