// SPDX-License-Identifier: Apache-2.0
// Configurations listed row by row, with an index to find one: for spaces that come as a list.
#pragma once

#include "gridsmith/base/intern_table.hpp"
#include "gridsmith/search/compile/constraint.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

namespace gridsmith::detail {

class RowTable {
public:
  /// @param rows value positions, `width` per row; sorted and made unique here.
  RowTable(std::size_t width, std::vector<Position> rows);

  std::uint64_t count() const { return count_; }

  std::span<const Position> row(std::uint64_t index) const;
  std::optional<std::uint64_t> find(std::span<const Position> row) const;
  /// Every row whose positions all differ by at most one from `row`, ascending.
  void each_near(std::span<const Position> row,
                 const std::function<void(std::uint64_t)>& visit) const;

private:
  void sort_unique(std::vector<Position> rows);

  std::size_t width_;
  std::uint64_t count_ = 0;
  std::vector<Position> rows_;
  InternTable index_;
};

} // namespace gridsmith::detail
