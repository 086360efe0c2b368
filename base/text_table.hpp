// SPDX-License-Identifier: Apache-2.0
// Aligned text tables with units, for people, and the same as Markdown. What JSON has too is a Listing (base/listing.hpp).
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace gridsmith {

struct Column {
  std::string title;
  std::string unit = {}; ///< second header line; all empty: no such line
  bool left = false;     ///< text is left-aligned, numbers right
};

inline constexpr std::size_t unlimited_width = 1'000'000;

class Table {
public:
  explicit Table(std::vector<Column> columns) : columns_(std::move(columns)) {}

  /// @param cells one per column; "" where there is nothing to say. Shown printable().
  void add(std::vector<std::string> cells);
  /// Text below the row of this number, broken at blanks. Shown printable(). @pre columns fit where it is shown
  void add_below(std::size_t row, std::string text);
  /// Columns without any cell are left out. @param width where all do not fit, the last column is broken
  /// if it is text; further columns follow in another table below, each with the first column again
  std::string text(std::size_t width = unlimited_width) const;
  /// All columns. What would end a cell is escaped, other marks of Markdown are not.
  std::string markdown() const;

private:
  /// A column that has cells.
  struct Shown {
    std::size_t column, width;
    std::size_t least; ///< that it needs where its text is broken
  };

  std::vector<Shown> shown() const;
  /// Some columns side by side.
  std::string part(const std::vector<Shown>& shown, std::size_t width) const;

  std::vector<Column> columns_;
  std::vector<std::vector<std::string>> rows_;
  std::map<std::size_t, std::string> below_; ///< by row
};

} // namespace gridsmith
