// SPDX-License-Identifier: Apache-2.0
// The time of a launch at a size nobody measured.
#include "gridsmith/base/expression/expression.hpp"
#include "gridsmith/base/random.hpp"
#include "gridsmith/results/selection/cost_model.hpp"
#include "gridsmith/tests/catch.hpp"
#include "gridsmith/tests/cpu/results/selection/made_up.hpp"

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
    const CostModel model = fit_cost_model(rest, c);
    for (const std::size_t p : {std::size_t{3}, std::size_t{6}})
      CHECK(model.time_ms(all.cell(p, c).launch, 100, 2) ==
            Approx(all.cell(p, c).time_ms).epsilon(0.02));
    for (const double one : model.coefficients)
      CHECK(one >= 0);
  }
}

TEST_CASE("Of one measured size nothing is foretold, nor of two") {
  const SizeTable all = tiled_table({500, 1000, 2000, 3000});
  std::vector<bool> left_out(all.problems.size(), true);
  for (std::size_t measured = 0; measured < all.problems.size(); ++measured) {
    const CostModel model = fit_cost_model(without(all, left_out), 0);
    const double here = model.time_ms(all.cell(0, 0).launch, 100, 2);
    LaunchQuantities larger = all.cell(0, 0).launch; // a hundred times the work
    larger.blocks *= 100;
    larger.bytes *= 100;
    const double there = model.time_ms(larger, 100, 2);
    CHECK((here > 0) == (measured >= fewest_modelled_sizes));
    CHECK((there > 10 * here) == (measured >= fewest_modelled_sizes));
    left_out[measured] = false;
  }
}

TEST_CASE("A configuration that was never measured has no model") {
  const SizeTable table = table_of({{0, 1}, {0, 2}});
  for (const double one : fit_cost_model(table, 0).coefficients)
    CHECK(one == 0);
}
