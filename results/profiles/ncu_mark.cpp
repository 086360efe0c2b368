// SPDX-License-Identifier: Apache-2.0
// Whether ncu wrote 117.344 for a little more than a hundred or for a hundred thousand: it prints numbers
// in the locale of whoever ran it, and says nowhere in which.
#include "gridsmith/base/error.hpp"
#include "gridsmith/results/profiles/metric_names.hpp"
#include "gridsmith/results/profiles/profile_readers.hpp"

#include <fmt/format.h>

#include <cmath>

namespace gridsmith {
namespace {

struct Cell {
  std::string launch, metric; ///< by its ID; CUPTI's name, or ncu's label
  std::string_view text, unit;
};

// Beyond what any GPU reaches, by tens: clocks of 100 GHz, 100 TB/s, ten times the peak.
constexpr double most_hz = 1e11, least_hz = 1e6, most_bytes_per_s = 1e14, most_percent = 1000;

bool is_rate(std::string_view unit) {
  return unit.ends_with("/s") || unit.ends_with("/second");
}

bool counts_bytes(std::string_view unit) {
  return unit.find("byte") != unit.npos || unit.ends_with('B');
}

bool is_clock(std::string_view unit) {
  return unit.ends_with("hz") || unit.ends_with("Hz") ||
         (unit.starts_with("cycle/") && unit.ends_with("second"));
}

/// Whether the unit is one of single things, in which a sum over units has no fraction. ncu's labels
/// show fractions with two digits, never with three.
bool counts_whole(const Cell& cell) {
  const bool label = cell.metric.find("__") == std::string::npos;
  const bool sum = cell.metric.ends_with(".sum") || cell.metric.starts_with("launch__") ||
                   cell.metric.starts_with("device__");
  const bool ratio = cell.unit.find('/') != std::string_view::npos &&
                     !cell.unit.ends_with("/block") && !cell.unit.ends_with("/thread");
  return (label || sum) && !ratio && cell.unit != "%" &&
         unit_factor(cell.unit, Prefixes::decimal) == 1.0;
}

bool can_be(const Cell& cell, double value) {
  if (cell.metric == duration_name && value < least_duration_ns)
    return false;
  if (cell.unit == "%")
    return value <= most_percent;
  if (is_clock(cell.unit))
    return value >= least_hz && value <= most_hz;
  if (is_rate(cell.unit))
    return !counts_bytes(cell.unit.substr(0, cell.unit.find('/'))) || value <= most_bytes_per_s;
  return !counts_whole(cell) || value == std::floor(value);
}

class Marks {
public:
  void see(const Cell& cell);
  DecimalMark decided(const std::string& name) const;

private:
  std::int64_t written_ = 0, possible_ = 0; ///< above 0: for a comma
  std::optional<std::string> open_;         ///< a number that could be either
};

void Marks::see(const Cell& cell) {
  const int written = comma_evidence(cell.text);
  written_ += written;
  if (written != 0 || cell.text.find_first_of(".,") == cell.text.npos)
    return;
  const auto read = [&](DecimalMark mark) {
    return printed_value(cell.text, cell.unit, mark, Prefixes::decimal).value;
  };
  const auto by_point = read(DecimalMark::point), by_comma = read(DecimalMark::comma);
  if (!by_point || !by_comma || *by_point == *by_comma)
    return;
  const int possible = int{can_be(cell, *by_comma)} - int{can_be(cell, *by_point)};
  possible_ += possible;
  const double factor = unit_factor(cell.unit, Prefixes::decimal).value_or(1);
  if (possible == 0 && !open_)
    open_ = fmt::format("'{}' ({} of launch {}) is {:.10g} or {:.10g}{}{}", cell.text, cell.metric,
                        cell.launch, *by_point / factor, *by_comma / factor,
                        cell.unit.empty() ? "" : " ", cell.unit);
}

DecimalMark Marks::decided(const std::string& name) const {
  const std::int64_t evidence = written_ != 0 ? written_ : possible_;
  if (evidence == 0 && open_)
    throw InputError(fmt::format("{}: {}, by the locale that ncu ran in, and nothing in the file "
                                 "tells which; write it again with LC_ALL=C",
                                 name, *open_));
  return evidence > 0 ? DecimalMark::comma : DecimalMark::point;
}

} // namespace

DecimalMark mark_of_ncu(std::string_view text, const std::string& name) {
  Marks marks;
  std::vector<CsvForm> forms;
  const auto of_details = [&](const CsvRow& row) {
    const std::string& label = row["Metric Name"];
    const auto known = counter_of_ncu_label(row["Section Name"], label);
    const bool duration = known && known->name == duration_name;
    marks.see({row["ID"], duration ? known->name : label, row["Metric Value"], row["Metric Unit"]});
  };
  const auto of_raw = [&](const CsvRow& row) {
    for (std::size_t i = 0; i < row.columns().size(); ++i)
      if (row.columns()[i].name.find("__") != std::string::npos)
        marks.see({row["ID"], row.columns()[i].name, row.cells()[i], row.columns()[i].unit});
  };
  add_ncu_forms(forms, of_details, of_raw);
  SetAside ignored;
  read_tables(text, forms, ignored);
  return marks.decided(name);
}

} // namespace gridsmith
