// SPDX-License-Identifier: Apache-2.0
// Tables of times that were made up, for the tests of results/selection.
#pragma once

#include "gridsmith/results/selection/size_table.hpp"

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace gridsmith {

inline Configuration named(std::int64_t tile) {
  return {{"tile", tile}};
}

/// One row per problem, of times of configurations tile=0, 1, …; 0: invalid there, -1: failed, -2: wrong.
/// Problems are 1024, 2048, ….
inline SizeTable table_of(const std::vector<std::vector<double>>& rows) {
  SizeTable table;
  table.kernel = "made_up";
  table.device.sm_count = 100;
  for (std::size_t c = 0; c < rows.front().size(); ++c)
    table.configurations.push_back({named(static_cast<std::int64_t>(c)), 2, {64}});
  for (std::size_t p = 0; p < rows.size(); ++p) {
    table.problems.push_back({{std::int64_t{1024} << p}});
    table.weights.push_back(1);
    table.drawn.push_back(false);
    for (const double time : rows[p]) {
      SizeCell cell;
      cell.state = time > 0     ? CellState::measured
                   : time == 0  ? CellState::invalid
                   : time == -1 ? CellState::failed
                                : CellState::wrong;
      cell.cost = cell.plain_cost = time > 0 ? time : 0;
      cell.launch = {time != 0, 10, 10, 1};
      table.cells.push_back(cell);
    }
  }
  return table;
}

/// A grid of square problems on a device of 100 SMs: tiles of 32, 64 and 128 in two dimensions, whose
/// blocks take what their waves ask for. Larger tiles are worth more where they fill the device.
inline SizeTable tiled_table(const std::vector<std::int64_t>& sides) {
  constexpr std::array<std::int64_t, 3> tiles = {32, 64, 128};
  constexpr std::array<double, 3> per_work = {4e-8, 2.6e-8, 2e-8};
  SizeTable table;
  table.kernel = "tiled";
  table.device.sm_count = 100;
  for (const std::int64_t tile : tiles)
    table.configurations.push_back({named(tile), 2, {tile, tile}});
  for (const std::int64_t side : sides) {
    table.problems.push_back({{side, side}});
    table.weights.push_back(1);
    table.drawn.push_back(false);
    for (std::size_t c = 0; c < tiles.size(); ++c) {
      const auto along = static_cast<double>((side + tiles[c] - 1) / tiles[c]);
      SizeCell cell;
      cell.state = CellState::measured;
      cell.launch = {true, along * along, static_cast<double>(tiles[c] * tiles[c] * side),
                     8.0 * static_cast<double>(side * side)};
      cell.cost =
          0.003 + per_work[c] * std::ceil(cell.launch.blocks / 100) * cell.launch.block_work;
      cell.plain_cost = cell.cost;
      table.cells.push_back(cell);
    }
  }
  return table;
}

} // namespace gridsmith
