// SPDX-License-Identifier: Apache-2.0
// From a table of times to what is shipped.
#include "gridsmith/base/random.hpp"
#include "gridsmith/results/selection/select.hpp"
#include "gridsmith/tests/catch.hpp"
#include "gridsmith/tests/cpu/results/selection/made_up.hpp"

namespace select_test {

using namespace gridsmith;

namespace {

const std::vector<std::int64_t> sides = {200,  256,  333,  400,  500,  600,  700,  800,  900,
                                         1000, 1200, 1400, 1600, 1800, 2000, 2300, 2600, 3000};

constexpr std::array<double, 1> usual_loss = {1.03};

/// As a search leaves it: the best of every problem is measured, and of the others some.
SizeTable searched(SizeTable table, std::uint64_t others_of_8) {
  Random random(7);
  const std::vector<double> best = least_costs(table);
  for (std::size_t p = 0; p < table.problems.size(); ++p)
    for (std::size_t c = 0; c < table.configurations.size(); ++c) {
      SizeCell& cell = table.cells[p * table.configurations.size() + c];
      if (cell.cost > best[p] && below(random, 8) >= others_of_8)
        cell.state = CellState::not_measured;
    }
  return table;
}

/// Measures what is missing, as often as something is. @return rounds
std::size_t fill(SizeTable& table) {
  std::size_t rounds = 0;
  for (std::vector<Gap> missing = gaps(table); !missing.empty(); missing = gaps(table), ++rounds)
    for (const Gap& gap : missing) {
      SizeCell& cell = table.cells[gap.problem * table.configurations.size() + gap.configuration];
      REQUIRE(cell.state == CellState::not_measured); // never asked for twice
      cell.state = CellState::measured;
    }
  return rounds;
}

} // namespace

TEST_CASE("On times that follow waves the model beats the nearest size, left out") {
  const SizeTable table = tiled_table(sides);
  const std::array rules = {ChoiceRule{RuleKind::nearest, 0}, ChoiceRule{RuleKind::corrected, 0}};
  const auto figures = judge(table, one_by_one(table), usual_loss, rules);
  REQUIRE(figures.size() == 2);
  CHECK(figures[0].left_out.sizes == sides.size());
  CHECK(figures[0].left_out.geometric_mean > 1.03);
  CHECK(figures[1].left_out.geometric_mean < 1.01);
  CHECK(figures[1].left_out.worst < 1.05);
  CHECK(figures[1].left_out_in_set.worst <= figures[1].left_out.worst);
  const Selection selection = select(table);
  CHECK(selection.rule.kind != RuleKind::nearest);
  CHECK(selection.measured.worst <= 1.03);
  CHECK(selection.left_out.geometric_mean == selection.rules.front().left_out.geometric_mean);
  CHECK(selection.left_out.geometric_mean < 1.01);
  CHECK_FALSE(selection.curve.empty());
}

TEST_CASE("What is left out is not learned from") {
  SizeTable table = tiled_table(sides);
  const std::array rules = {ChoiceRule{RuleKind::corrected, 0}};
  // a time that nobody could foretell: only who saw it would choose its configuration there
  table.cells[3 * 3 + 2].cost /= 100;
  const auto figures = judge(table, std::vector<LeftOut>{{3}}, usual_loss, rules);
  CHECK(figures.front().left_out.worst > 20);
}

TEST_CASE("Where the set has nothing valid the default's loss counts, or it is told") {
  SizeTable table = table_of({{1, 2}, {1, 2}, {0, 2}});
  const std::array rules = {ChoiceRule{RuleKind::nearest, 0}};
  const auto without_default = judge(table, std::vector<LeftOut>{{2}}, usual_loss, rules);
  CHECK(without_default.front().left_out.invalid == 1);
  table.default_configuration = 1;
  const auto with_default = judge(table, std::vector<LeftOut>{{2}}, usual_loss, rules);
  CHECK(with_default.front().left_out.invalid == 0);
  CHECK(with_default.front().left_out.worst == 1);
}

TEST_CASE("Two sizes tell nothing of others") {
  const Selection selection = select(table_of({{1, 2}, {2, 1}}));
  CHECK(selection.configurations.size() == 2);
  CHECK(selection.rule.kind == RuleKind::nearest);
  CHECK(selection.left_out.sizes == 0);
  CHECK(selection.rules.empty());
}

TEST_CASE("What is not measured is not called invalid") {
  SizeTable table = table_of({{1, 2}, {1, 2}, {1.5, 1}});
  const std::array rules = {ChoiceRule{RuleKind::nearest, 0}};
  const std::vector<LeftOut> last = {{2}};
  CHECK(judge(table, last, usual_loss, rules).front().left_out.worst == 1.5);
  table.cells[4].state = CellState::not_measured; // of what is chosen there
  const RuleFigures figures = judge(table, last, usual_loss, rules).front();
  CHECK(figures.left_out.invalid == 0);
  CHECK(figures.left_out.not_measured == 1);
  CHECK(figures.left_out.known() == 0);
  CHECK(figures.choices.front().configuration == std::size_t{0});
  CHECK_FALSE(figures.choices.front().loss);
}

TEST_CASE("Of fewer than eight problems no rule is learned") {
  for (const std::size_t count : {7, 8}) {
    const std::vector<std::int64_t> some = {200, 256, 700, 900, 1200, 1400, 2000, 3000};
    const SizeTable table = tiled_table({some.begin(), some.begin() + static_cast<int>(count)});
    const Selection selection = select(table);
    CHECK((selection.rule == ChoiceRule{RuleKind::corrected, 0.01} || count >= fewest_left_out));
    CHECK(selection.left_out.sizes == count); // what it loses is said
    CHECK(selection.left_out.complete());
  }
}

TEST_CASE("A rule whose choices were hardly measured does not win by those that were") {
  // each of twelve problems has a best of its own, and the second best of some is that of their neighbour
  SizeTable table = table_of(std::vector<std::vector<double>>(12, std::vector<double>(12, 1)));
  for (std::size_t p = 0; p < 12; ++p)
    for (std::size_t c = 0; c < 12; ++c) {
      SizeCell& cell = table.cells[p * 12 + c];
      cell.launch = {true, std::exp2(p), 10, 1};
      cell.cost = std::exp2(p) * (c == p ? 1 : 1.05);
      if (c != p && !(p < 9 && c == p + 1))
        cell.state = CellState::not_measured;
    }
  const Selection selection = select(table);
  CHECK(selection.rule == ChoiceRule{RuleKind::corrected, 0.01}); // as of too few
  CHECK(selection.left_out.known() > 0);
  CHECK(selection.left_out.not_measured > 2);
  CHECK(selection.left_out.invalid == 0);
}

TEST_CASE("Once what is missing was measured, all that is said is known") {
  const SizeTable whole = tiled_table(sides);
  for (const std::uint64_t others : {0, 1, 3}) {
    SizeTable table = searched(whole, others);
    CHECK_FALSE(gaps(table).empty());
    CHECK(fill(table) <= 4);
    const Selection selection = select(table);
    CHECK(selection.left_out.complete());
    CHECK(selection.rule.kind != RuleKind::nearest);
    CHECK(selection.left_out.geometric_mean < 1.01);
    for (const SelectedConfiguration& one : selection.configurations)
      for (const double time : one.costs)
        CHECK(time > 0); // every one everywhere: all are valid
  }
  CHECK(gaps(whole).empty());
}

TEST_CASE("A choice is doubtful where the model and the nearest size differ, or nothing is valid") {
  const SizeTable table = tiled_table(sides);
  const Selection set = select(table);
  std::vector<LaunchQuantities> launches;
  for (std::size_t c = 0; c < set.configurations.size(); ++c)
    launches.push_back(table.cell(0, c).launch);
  CHECK(doubt(set, set.problems.front().problem, launches, set.device.sm_count) == 0);
  const ProblemSize elsewhere{{777, 779}};
  const double some = doubt(set, elsewhere, launches, set.device.sm_count);
  CHECK(some >= 0);
  CHECK(std::isfinite(some));
  for (LaunchQuantities& one : launches)
    one.valid = false;
  CHECK(std::isinf(doubt(set, elsewhere, launches, set.device.sm_count)));
  // Two that each win at one size, by far: what is nearer is no word for the other side of the middle.
  SizeTable crossing = table_of({{1, 9}, {2, 9}, {90, 10}, {95, 10.5}});
  for (std::size_t p = 0; p < 4; ++p)
    for (std::size_t c = 0; c < 2; ++c)
      crossing.cells[2 * p + c].launch = {true, 1000.0 * double(p + 1), 1e6 * double(p + 1), 100};
  const Selection two = select(crossing);
  REQUIRE(two.configurations.size() == 2);
  const std::vector<LaunchQuantities> between(2, {true, 2500, 2.5e6, 100});
  CHECK(doubt(two, {{2900}}, between, 100) > 0.02);
}

TEST_CASE("At most so many are selected as are asked for, those with the least worst loss") {
  const SizeTable table = table_of({{1, 2, 3}, {1.5, 1.5, 2}, {3, 1, 2.5}, {9, 9, 2.2}});
  SelectionRules rules;
  rules.most = 1;
  const Selection one = select(table, rules);
  CHECK(one.configurations.size() == 1);
  CHECK(to_text(one.configurations.front().of.configuration) ==
        to_text(table.configurations[2].configuration));
  CHECK(one.measured.worst == Approx(3));
  rules.most = 2;
  CHECK(select(table, rules).measured.worst == Approx(2));
  CHECK(select(table, rules).configurations.size() == 2);
  rules.most = 50;
  CHECK(select(table, rules).measured.worst == Approx(1));
  const SizeTable apart = table_of({{1, 0}, {0, 1}});
  rules.most = 1;
  CHECK_THROWS_WITH(select(apart, rules),
                    "made_up: 1 configuration cannot be valid at all of 2 sizes; 2 are");
}

TEST_CASE("What is invalid or failed is no gap") {
  SizeTable table = table_of({{1, 2, 3}, {0, 1, 3}, {1, 2, -1}, {1.2, 1, 3}});
  CHECK(gaps(table).empty());
  table.cells[1].state = CellState::not_measured; // the second is needed at the last problem
  CHECK(gaps(table) == std::vector<Gap>{{0, 1}});
  table.cells[1].launch.valid = false;
  CHECK(gaps(table).empty());
}

TEST_CASE("The same table gives the same selection, and a tie keeps the previous one") {
  const SizeTable table = tiled_table(sides);
  const Selection first = select(table);
  SelectionRules rules;
  for (const SelectedProblem& at : first.problems)
    rules.previous.push_back({at.problem, first.configurations[at.best].of.configuration});
  SizeTable noisy = table;
  for (std::size_t i = 0; i < noisy.cells.size(); ++i)
    noisy.cells[i].cost *= i % 2 ? 1.004 : 0.996;
  const Selection again = select(table), later = select(noisy, rules);
  REQUIRE(again.configurations.size() == first.configurations.size());
  for (std::size_t p = 0; p < first.problems.size(); ++p) {
    CHECK(again.problems[p].best == first.problems[p].best);
    CHECK(later.configurations[later.problems[p].best].of.configuration ==
          rules.previous[p].configuration);
  }
}

TEST_CASE(
    "What is selected of the sizes asked for is judged at those that were drawn, which join it") {
  SizeTable table = tiled_table(sides);
  CHECK_FALSE(select(table).calibrated);
  for (const std::size_t p : {1, 4, 7, 10, 13})
    table.drawn[p] = true;
  const Selection all = select(table), asked = select(without(table, table.drawn));
  CHECK_FALSE(asked.calibrated);
  REQUIRE(all.calibrated);
  CHECK(all.problems.size() == sides.size());
  const RuleFigures& figures = all.calibrated->figures;
  CHECK(figures.rule == asked.rule);
  CHECK(figures.left_out.sizes == 5);
  CHECK(all.calibrated->problems[1] == ProblemSize{{500, 500}});
  // By hand: what it chooses at each, over the best there.
  const std::vector<double> best = least_costs(table);
  std::vector<Loss> losses;
  for (const LeftOutChoice& one : figures.choices) {
    std::vector<LaunchQuantities> launches;
    std::vector<std::size_t> places;
    for (const SelectedConfiguration& configuration : asked.configurations)
      for (std::size_t c = 0; c < table.configurations.size(); ++c)
        if (table.configurations[c].configuration == configuration.of.configuration) {
          launches.push_back(table.cell(one.problem, c).launch);
          places.push_back(c);
        }
    const auto choice = choose(asked, table.problems[one.problem], launches, 100);
    REQUIRE(choice);
    CHECK(one.configuration == places[choice->configuration]);
    CHECK(*one.loss ==
          table.cell(one.problem, places[choice->configuration]).cost / best[one.problem]);
    losses.push_back(one.loss);
  }
  const std::vector<double> weights(losses.size(), 1);
  CHECK(figures.left_out.geometric_mean == loss_figures(losses, weights).geometric_mean);
  CHECK(figures.left_out_in_set.geometric_mean <= figures.left_out.geometric_mean);
}

TEST_CASE("What a calibration needs and was not measured is a gap, and is not known until then") {
  SizeTable table = searched(tiled_table(sides), 2);
  for (const std::size_t p : {1, 4, 7, 10, 13})
    table.drawn[p] = true;
  fill(table);
  const Selection selection = select(table);
  REQUIRE(selection.calibrated);
  CHECK(selection.calibrated->figures.left_out.not_measured == 0);
  CHECK(to_text(*selection.calibrated).starts_with("at 5 sizes that were drawn and not tuned: "));
}

} // namespace select_test
