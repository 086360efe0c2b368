// From a table of times to what is shipped.
#include "gridsmith/results/selection/select.hpp"
#include "gridsmith/tests/catch.hpp"
#include "gridsmith/tests/cpu/results/selection/made_up.hpp"

using namespace gridsmith;

namespace {

const std::vector<std::int64_t> sides = {200,  256,  333,  400,  500,  600,  700,  800,  900,
                                         1000, 1200, 1400, 1600, 1800, 2000, 2300, 2600, 3000};

constexpr std::array<double, 1> usual_loss = {1.03};

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
  table.cells[3 * 3 + 2].time_ms /= 100;
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

TEST_CASE("The same table gives the same selection, and a tie keeps the previous one") {
  const SizeTable table = tiled_table(sides);
  const Selection first = select(table);
  SelectionRules rules;
  for (const SelectedProblem& at : first.problems)
    rules.previous.push_back({at.problem, first.configurations[at.best].of.configuration});
  SizeTable noisy = table;
  for (std::size_t i = 0; i < noisy.cells.size(); ++i)
    noisy.cells[i].time_ms *= i % 2 ? 1.004 : 0.996;
  const Selection again = select(table), later = select(noisy, rules);
  REQUIRE(again.configurations.size() == first.configurations.size());
  for (std::size_t p = 0; p < first.problems.size(); ++p) {
    CHECK(again.problems[p].best == first.problems[p].best);
    CHECK(later.configurations[later.problems[p].best].of.configuration ==
          rules.previous[p].configuration);
  }
}
