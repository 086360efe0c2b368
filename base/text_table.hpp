// SPDX-License-Identifier: Apache-2.0
// Aligned text tables with units, for people; plain ASCII rules, colour only where asked.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace gridsmith {

struct Column {
  std::string title;
  std::string unit;  ///< second header line; all empty: no such line
  bool left = false; ///< text is left-aligned, numbers right
};

inline constexpr std::size_t unlimited_width = 1'000'000;

class Table {
public:
  explicit Table(std::vector<Column> columns) : columns_(std::move(columns)) {}

  /// @param cells one per column; "" where there is nothing to say. Shown printable().
  void add(std::vector<std::string> cells);
  /// Columns without any cell are left out. @param width to which the last column is broken where
  /// it is text
  std::string text(std::size_t width = unlimited_width) const;

private:
  std::vector<Column> columns_;
  std::vector<std::vector<std::string>> rows_;
};

/// Four significant digits and no exponent where that reads well: 0.1423, 4151, 27.84; whole
/// numbers whole.
std::string number_text(double value);
/// 268435456 as "268.4 MB"
std::string bytes_text(double bytes);

} // namespace gridsmith
