// SPDX-License-Identifier: Apache-2.0
// Something that is shipped is valid at sizes where nothing was measured.
#include "gridsmith/results/selection/coverage.hpp"
#include "gridsmith/results/selection/select.hpp"
#include "gridsmith/tests/catch.hpp"
#include "gridsmith/tests/cpu/results/selection/made_up.hpp"

namespace coverage_test {

using namespace gridsmith;

namespace {

/// Of the tiles 32, 64 and 128 these are valid at one more size, where nothing was measured.
Probe probe(std::int64_t side, std::vector<bool> valid) {
  Probe result{{{side, side}}, {}};
  for (const bool one : valid)
    result.launches.push_back(one ? LaunchQuantities{true, 100, 1e6, 1e6} : LaunchQuantities{});
  return result;
}

} // namespace

TEST_CASE("A set is extended by what serves where nothing of it is valid") {
  SizeTable table = tiled_table({400, 800, 1600, 3000});
  CHECK(covering(table, {2}) == std::vector<std::size_t>{2}); // no probes
  table.probes = {probe(500, {true, true, true}), probe(501, {true, false, false}),
                  probe(502, {false, false, false})};
  CHECK(covering(table, {2}) == std::vector<std::size_t>{2, 0});
  CHECK(covering(table, {0, 1}) == std::vector<std::size_t>{0, 1});
  CHECK(uncovered(table) == std::vector<ProblemSize>{{{502, 502}}});
  const Selection selection = select(table);
  CHECK(std::any_of(selection.configurations.begin(), selection.configurations.end(),
                    [&](const SelectedConfiguration& one) {
                      return one.of.configuration == table.configurations[0].configuration;
                    }));
}

TEST_CASE("Of several that serve, the faster one is added, and none that was wrong somewhere") {
  SizeTable table = tiled_table({400, 800, 1600, 3000});
  const std::size_t count = table.configurations.size();
  table.probes = {probe(501, {true, true, false}), probe(503, {true, true, false})};
  for (std::size_t p = 0; p < table.problems.size(); ++p)
    table.cells[p * count].cost *= 3;
  CHECK(covering(table, {2}) == std::vector<std::size_t>{2, 1});
  table.cells[1].state = CellState::wrong;
  CHECK(covering(table, {2}) == std::vector<std::size_t>{2, 0});
  table.cells[0].state = CellState::failed;
  CHECK(covering(table, {2}) == std::vector<std::size_t>{2});
  CHECK(uncovered(table).size() == 2);
}

} // namespace coverage_test
