// SPDX-License-Identifier: Apache-2.0
// The time of a launch at a size nobody measured.
#include "gridsmith/base/expression/expression.hpp"
#include "gridsmith/base/random.hpp"
#include "gridsmith/results/selection/cost_model.hpp"
#include "gridsmith/tests/catch.hpp"
#include "gridsmith/tests/cpu/results/selection/made_up.hpp"

namespace cost_model_test {

using namespace gridsmith;

TEST_CASE("The text of a term says what its value is") {
  Random random(5);
  for (const CostFeature& feature : features()) {
    const Expression text = Expression::parse(feature.text);
    for (int round = 0; round < 50; ++round) {
      const LaunchQuantities launch{true, 1.0 + static_cast<double>(below(random, 5000)),
                                    1e6 * unit(random), 1e9 * unit(random)};
      const double sm_count = 1.0 + static_cast<double>(below(random, 200));
      const double resident = 1.0 + static_cast<double>(below(random, 16));
      const Bindings names = {{"blocks", launch.blocks},
                              {"block_work", launch.block_work},
                              {"bytes", launch.bytes},
                              {"sm_count", sm_count},
                              {"resident_blocks", resident}};
      INFO(feature.name);
      CHECK(feature.value(launch, sm_count, resident) ==
            Approx(to_number(text.evaluate(names))).epsilon(1e-12));
    }
  }
}

TEST_CASE("Times that follow the model are foretold at sizes that were left out") {
  const SizeTable all = tiled_table({100, 200, 300, 500, 700, 1000, 1500, 2000, 3000});
  std::vector<bool> left_out(all.problems.size(), false);
  left_out[3] = left_out[6] = true;
  const SizeTable rest = without(all, left_out);
  REQUIRE(rest.problems.size() == 7);
  for (std::size_t c = 0; c < all.configurations.size(); ++c) {
    const CostModel model = fit_cost_model(rest, c, common_cost_model(rest));
    for (const std::size_t p : {std::size_t{3}, std::size_t{6}})
      CHECK(model.cost(all.cell(p, c).launch, 100, 2) == Approx(all.cell(p, c).cost).epsilon(0.1));
    for (const double one : model.coefficients)
      CHECK(one >= 0);
  }
}

TEST_CASE("What was measured at one size grows with the size as all others do") {
  SizeTable table = tiled_table({100, 200, 500, 1000, 2000, 3000});
  const std::size_t count = table.configurations.size(), last = table.problems.size() - 1;
  const double twice =
      2 * table.cell(last, 1).cost; // it takes twice as long wherever it is measured
  for (std::size_t p = 0; p < table.problems.size(); ++p) {
    SizeCell& cell = table.cells[p * count + 1];
    cell.cost *= 2;
    if (p != 2)
      cell.state = CellState::not_measured;
  }
  const CostModel model = fit_cost_model(table, 1, common_cost_model(table));
  CHECK(model.cost(table.cell(2, 1).launch, 100, 2) == Approx(table.cell(2, 1).cost).epsilon(0.05));
  const double predicted = model.cost(table.cell(last, 1).launch, 100, 2);
  CHECK((predicted > twice / 3 && predicted < twice * 3));
  CHECK(twice > 50 * table.cell(2, 1).cost); // what its own time alone would say
}

TEST_CASE("A configuration that was never measured has no model") {
  const SizeTable table = table_of({{0, 1}, {0, 2}});
  for (const double one : fit_cost_model(table, 0, common_cost_model(table)).coefficients)
    CHECK(one == 0);
}

} // namespace cost_model_test
