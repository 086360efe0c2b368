// SPDX-License-Identifier: Apache-2.0
// Tables in a profiler's printed text: a line of titles that is known, then rows until a blank line.
// What stands around them (the tool's own lines, the program's output, other tables) is passed over.
#pragma once

#include "gridsmith/results/measurement/recording.hpp"

#include <cstddef>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace gridsmith {

struct CsvColumn {
  std::string name;
  std::string unit; ///< of the row of units below the titles, or of "Avg (ns)"; "" none
};

/// A row of a table; lives until the next one.
class CsvRow {
public:
  CsvRow(const std::vector<CsvColumn>& columns, const std::map<std::string, std::size_t>& places,
         const std::vector<std::string>& cells)
      : columns_(columns), places_(places), cells_(cells) {}

  /// "" where the table has no such column.
  const std::string& operator[](const std::string& column) const;
  /// Of the column; "" where there is none.
  const std::string& unit(const std::string& column) const;

  bool has(const std::string& column) const { return places_.contains(column); }

  const std::vector<CsvColumn>& columns() const { return columns_; }

  /// One per column.
  const std::vector<std::string>& cells() const { return cells_; }

private:
  const std::vector<CsvColumn>& columns_;
  const std::map<std::string, std::size_t>& places_;
  const std::vector<std::string>& cells_;
};

/// A table is known by columns that it has, wherever they stand.
struct CsvForm {
  std::vector<std::string> columns;
  std::string key; ///< without a cell here a row is one of units (the first) or nothing
  std::function<void(const CsvRow&)> row;
  bool may_end_early =
      false; ///< rows may end behind these columns; fields that they lack are empty
};

/// Calls the first form that fits for each row of its tables. Quoted fields may hold commas, quotes
/// and line ends; a name in the last column may hold commas without quotes. Rows that are cut off, of
/// another length or without a key are counted.
/// @param text well-formed UTF-8
/// @return how many tables there were
std::size_t read_tables(std::string_view text, std::span<const CsvForm> forms, SetAside& set_aside);

} // namespace gridsmith
