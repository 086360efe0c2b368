// SPDX-License-Identifier: Apache-2.0
// Comma-separated values (RFC 4180 quoting, '\n' line ends): one header line, one row per
// configuration. Parameters and counters of all exports are columns; a field is empty where a row
// has no value. Derived metrics (metrics/counters) are columns where a row has them and they are more
// than a counter of their own. Units are in the column names. Control characters are replaced, and text that a
// spreadsheet would take for a formula has a ' in front: see csv_field().
#include "gridsmith/base/safe_text.hpp"
#include "gridsmith/results/formats/formats.hpp"
#include "gridsmith/results/measurement/quantities.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <functional>
#include <set>

namespace gridsmith {
namespace {

/// Shortest text that reads back as the same number.
std::string number(double value) {
  char buffer[32];
  return {buffer, std::to_chars(buffer, buffer + sizeof buffer, value).ptr};
}

std::string number(std::optional<double> value) {
  return value ? number(*value) : "";
}

/// A column says what it is and how a row fills it.
struct CsvField {
  std::string title;
  std::function<std::string(const Export&, const Measurement&)> field;
};

CsvField of_export(std::string title, std::function<std::string(const Recording&)> field) {
  return {std::move(title), [field = std::move(field)](const Export& of, const Measurement&) {
            return field(of.recording);
          }};
}

CsvField plain(std::string title, std::function<std::string(const Measurement&)> field) {
  return {std::move(title),
          [field = std::move(field)](const Export&, const Measurement& row) { return field(row); }};
}

/// A fact's whole numbers have no exponent.
CsvField of_quantity(const Quantity& quantity, const std::string& title = "") {
  return {title.empty() ? quantity.name : title,
          [quantity](const Export& of, const Measurement& row) {
            const auto value = quantity.value(row, of.recording);
            return value && quantity.is_whole() ? fmt::format("{:.0f}", *value) : number(value);
          }};
}

void add_facts(std::vector<CsvField>& columns, Quantity::Kind kind) {
  for (const Quantity& fact : measured_facts())
    if (fact.kind == kind && (fact.seen & Quantity::in_csv))
      columns.push_back(of_quantity(fact));
}

/// Names in the order of first appearance.
void remember(std::vector<std::string>& names, const std::string& name) {
  if (std::find(names.begin(), names.end(), name) == names.end())
    names.push_back(name);
}

void add_parameters(std::vector<CsvField>& columns, std::span<const Export> exports) {
  std::vector<std::string> names;
  for (const Export& exported : exports)
    for (const Parameter& parameter : exported.recording.parameters)
      remember(names, parameter.name);
  for (const std::string& name : names)
    columns.push_back(plain(name, [name](const Measurement& row) {
      const Value* value = find_value(row.configuration, name);
      return value ? to_text(*value) : std::string();
    }));
}

void add_counters(std::vector<CsvField>& columns, std::span<const Export> exports) {
  std::set<std::string> names;
  for (const Export& exported : exports)
    for (const Measurement& row : exported.recording.measurements)
      for (const auto& [name, value] : row.counters)
        names.insert(name);
  for (const std::string& name : names)
    columns.push_back(plain(name, [name](const Measurement& row) {
      const auto found = row.counters.find(name);
      return found == row.counters.end() ? std::string() : number(found->second);
    }));
}

/// Whether there are values, and they are more than one counter's over again.
bool says_more(const Quantity& metric, std::span<const Export> exports) {
  std::optional<std::set<std::string>> same; // counters that were equal in every row so far
  for (const Export& of : exports)
    for (const Measurement& row : of.recording.measurements)
      if (const auto value = metric.value(row, of.recording)) {
        std::set<std::string> equal;
        for (const auto& [name, counted] : row.counters)
          if (counted == *value && (!same || same->contains(name)))
            equal.insert(name);
        same = std::move(equal);
      }
  return same && same->empty();
}

/// Those of definitions last; another export's of the same name is its own.
void add_metrics(std::vector<CsvField>& columns, std::span<const Export> exports) {
  for (const Metric& metric : metric_catalogue())
    if (const Quantity quantity = metric_quantity(metric); says_more(quantity, exports))
      columns.push_back(of_quantity(quantity));
  std::set<std::string> own;
  for (const Export& exported : exports)
    for (const Metric& metric : exported.recording.own_metrics.metrics)
      if (own.insert(metric.name).second)
        columns.push_back(of_quantity(metric_quantity(metric)));
}

/// Where there is a rate that cannot be.
void add_doubts(std::vector<CsvField>& columns, std::span<const Export> exports) {
  const auto doubt = [](const Export& of, const Measurement& row) {
    return rate_doubt(row, board_of(of.recording), of.recording.workload);
  };
  const bool any = std::any_of(exports.begin(), exports.end(), [&](const Export& of) {
    const auto& rows = of.recording.measurements;
    return std::any_of(rows.begin(), rows.end(),
                       [&](const Measurement& row) { return doubt(of, row).has_value(); });
  });
  if (any)
    columns.push_back({"doubt", [doubt](const Export& of, const Measurement& row) {
                         const auto found = doubt(of, row);
                         return found ? to_text(*found) : std::string();
                       }});
}

std::vector<CsvField> columns_of(std::span<const Export> exports) {
  std::vector<CsvField> columns = {
      of_export("kernel", [](const Recording& of) { return of.kernel; }),
      of_export("device", [](const Recording& of) { return of.device.name; }),
      of_export("problem", [](const Recording& of) { return of.problem; })};
  add_parameters(columns, exports);
  columns.push_back(
      plain("status", [](const Measurement& row) { return std::string(to_text(row.status)); }));
  columns.push_back(plain("reason", [](const Measurement& row) { return row.reason; }));
  columns.push_back(plain("verified_against", [](const Measurement& row) {
    return std::string(to_text(row.verification));
  }));
  columns.push_back({"conditions", [](const Export& of, const Measurement& row) {
                       return conditions_of(of.recording, row);
                     }});
  using enum Quantity::Kind;
  add_facts(columns, time);
  columns.push_back(of_quantity(measured_fact("samples")));
  columns.push_back(of_quantity(measured_fact("pruned"), "pruned_early"));
  columns.push_back(plain("same_code_as", [](const Measurement& row) { return row.same_code_as; }));
  add_facts(columns, geometry);
  columns.push_back(of_quantity(measured_fact("registers"), "registers_per_thread"));
  for (const Quantity::Kind kind : {compiled, result, order})
    add_facts(columns, kind);
  columns.push_back(
      of_quantity(measured_fact("predicted_occupancy"), "predicted_occupancy_percent"));
  columns.push_back(plain("when", [](const Measurement& row) { return row.when; }));
  columns.push_back(
      of_export("driver", [](const Recording& of) { return of.device.driver_version; }));
  columns.push_back(
      of_export("toolkit", [](const Recording& of) { return of.device.toolkit_version; }));
  columns.push_back(of_export("source_hash", [](const Recording& of) { return of.source_hash; }));
  add_doubts(columns, exports);
  add_metrics(columns, exports);
  add_counters(columns, exports);
  return columns;
}

} // namespace

std::string csv_text(std::span<const Export> exports) {
  const std::vector<CsvField> columns = columns_of(exports);
  std::string text;
  const auto line = [&](const auto& field_of) {
    const char* separator = "";
    for (const CsvField& column : columns) {
      text += separator;
      text += csv_field(field_of(column));
      separator = ",";
    }
    text += '\n';
  };
  line([](const CsvField& column) { return column.title; });
  for (const Export& exported : exports)
    for (const Measurement& row : exported.recording.measurements)
      line([&](const CsvField& column) { return column.field(exported, row); });
  return text;
}

} // namespace gridsmith
