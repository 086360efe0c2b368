// SPDX-License-Identifier: Apache-2.0
// What is shipped of a table, and what is chosen of it at any size.
#include "gridsmith/results/selection/selection.hpp"
#include "gridsmith/tests/catch.hpp"
#include "gridsmith/tests/cpu/results/selection/made_up.hpp"

#include <limits>

namespace selection_test {

using namespace gridsmith;

namespace {

constexpr std::array<std::size_t, 3> all = {0, 1, 2};

const Configuration& shipped(const Selection& selection, std::size_t problem) {
  return selection.configurations[selection.problems[problem].best].of.configuration;
}

/// Launches of a selection's configurations, whatever their order.
std::vector<LaunchQuantities> launches_at(const SizeTable& table, std::size_t problem,
                                          const Selection& selection) {
  std::vector<LaunchQuantities> launches;
  for (const SelectedConfiguration& one : selection.configurations)
    for (std::size_t c = 0; c < table.configurations.size(); ++c)
      if (table.configurations[c].configuration == one.of.configuration)
        launches.push_back(table.cell(problem, c).launch);
  return launches;
}

} // namespace

TEST_CASE("A selection has the figures of every measured problem, by extents") {
  SizeTable table = table_of({{2, 1, 4}, {1, 3, 0}, {1, 2, 0}});
  std::swap(table.problems[0], table.problems[2]); // 4096, 2048, 1024
  table.default_configuration = 2;
  const Selection selection = selection_of(table, all, {});
  REQUIRE(selection.problems.size() == 3);
  CHECK(selection.problems[0].problem == ProblemSize{{1024}});
  CHECK(shipped(selection, 0) == named(0));
  CHECK(shipped(selection, 2) == named(1));
  CHECK(selection.problems[0].margin == 2);
  CHECK(selection.problems[2].default_cost == 4);
  CHECK_FALSE(selection.problems[0].default_cost);
  CHECK(selection.configurations.front().of.configuration == named(0)); // best at two of three
  CHECK(selection.default_configuration == named(2));
  CHECK(selection.measured.worst == 1);
}

TEST_CASE("Ties keep what was shipped before") {
  SizeTable table = table_of({{1, 1.005, 1.02}});
  const std::array<PreviousChoice, 1> tied_one = {{{{{1024}}, named(1)}}};
  const std::array<PreviousChoice, 1> slower = {{{{{1024}}, named(2)}}};
  CHECK(shipped(selection_of(table, all, {}), 0) == named(0));
  CHECK(shipped(selection_of(table, all, {}, tied_one), 0) == named(1));
  CHECK(shipped(selection_of(table, all, {}, slower), 0) == named(0));
  table.cells[0].samples_ms = {0.97, 1, 1.03}; // samples do not tell them apart
  table.cells[2].samples_ms = {1.01, 1.02, 1.03};
  CHECK(shipped(selection_of(table, all, {}, slower), 0) == named(2));
}

TEST_CASE("A measured problem has its measured best, and others what is foretold") {
  const SizeTable table = tiled_table({128, 256, 512, 1024, 2048, 4096});
  for (const RuleKind kind : {RuleKind::nearest, RuleKind::model, RuleKind::corrected}) {
    const Selection selection = selection_of(table, all, {kind, 0});
    for (std::size_t p = 0; p < table.problems.size(); ++p) {
      const auto choice =
          choose(selection, table.problems[p], launches_at(table, p, selection), 100);
      REQUIRE(choice);
      CHECK(choice->match == Match::measured);
      CHECK(choice->configuration == selection.problems[p].best);
      CHECK(choice->predicted_cost == selection.problems[p].plain_cost);
    }
    const SizeTable other = tiled_table({700, 9000});
    const auto within = choose(selection, {{700, 700}}, launches_at(other, 0, selection), 100);
    const auto outside = choose(selection, {{9000, 9000}}, launches_at(other, 1, selection), 100);
    REQUIRE((within && outside));
    CHECK(within->match == Match::within_range);
    CHECK(outside->match == Match::outside_range);
    CHECK((kind == RuleKind::nearest) == (within->predicted_cost == 0));
    CHECK(selection.configurations[outside->configuration].of.configuration == named(128));
  }
}

TEST_CASE("What was measured at one size is chosen where it is predicted to be as good") {
  // the tile of 128 is measured at 4096 alone, and the fastest there; it is from 3000 on, and slow below 1000
  SizeTable table = tiled_table({128, 256, 512, 1024, 2048, 4096, 8192});
  for (std::size_t p = 0; p < table.problems.size(); ++p)
    if (p != 5)
      table.cells[p * 3 + 2].state = CellState::not_measured;
  for (const RuleKind kind : {RuleKind::model, RuleKind::corrected}) {
    const Selection selection = selection_of(table, all, {kind, 0});
    const auto chosen_at = [&](std::int64_t side) {
      const auto launches = launches_at(tiled_table({side}), 0, selection);
      return *choose(selection, {{side, side}}, launches, 100);
    };
    const auto configuration = [&](const Choice& choice) {
      return selection.configurations[choice.configuration].of.configuration;
    };
    for (const std::int64_t side : {130, 300, 500})
      CHECK(configuration(chosen_at(side)) != named(128));
    for (const std::int64_t side : {5000, 7000, 51200})
      CHECK(configuration(chosen_at(side)) == named(128));
  }
}

TEST_CASE("What is not valid is never chosen") {
  const SizeTable table = tiled_table({128, 512, 2048});
  for (const RuleKind kind : {RuleKind::nearest, RuleKind::model, RuleKind::corrected}) {
    const Selection selection = selection_of(table, all, {kind, 0});
    for (unsigned valid = 0; valid < 8; ++valid)
      for (const std::int64_t side : {128, 300, 2048, 5000}) {
        auto launches = launches_at(tiled_table({side}), 0, selection);
        for (std::size_t i = 0; i < 3; ++i)
          launches[i].valid = valid >> i & 1;
        const auto choice = choose(selection, {{side, side}}, launches, 100);
        CHECK(choice.has_value() == (valid != 0));
        if (choice)
          CHECK(launches[choice->configuration].valid);
      }
  }
}

TEST_CASE("More SMs are taken into account") {
  const SizeTable table = tiled_table({128, 256, 512, 1024, 2048, 4096});
  const Selection selection = selection_of(table, all, {RuleKind::model, 0});
  const auto launches = launches_at(tiled_table({1200}), 0, selection);
  const auto few = choose(selection, {{1200, 1200}}, launches, 10);
  const auto many = choose(selection, {{1200, 1200}}, launches, 5000);
  REQUIRE((few && many));
  CHECK(selection.configurations[few->configuration].of.configuration == named(128));
  CHECK(selection.configurations[many->configuration].of.configuration == named(32));
  CHECK(few->predicted_cost > many->predicted_cost);
}

TEST_CASE("Times within the tie are decided by the nearest measured size") {
  SizeTable table = tiled_table({512, 1024});
  const Selection exact = selection_of(table, all, {RuleKind::model, 0});
  Selection tying = exact;
  tying.rule.tie = 1e6;
  const auto launches = launches_at(tiled_table({1000}), 0, exact);
  const auto nearest = choose(tying, {{1000, 1000}}, launches, 100);
  REQUIRE(nearest);
  CHECK(nearest->configuration == exact.problems[1].best);
}

} // namespace selection_test
