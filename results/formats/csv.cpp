// SPDX-License-Identifier: Apache-2.0
// Comma-separated values (RFC 4180 quoting, '\n' line ends): one header line, one row per
// configuration. Parameters and counters of all exports are columns; a field is empty where a row
// has no value. Derived metrics (metrics/counters) are columns where a row has them and they are more
// than a counter of their own. Units are in the column names. Control characters are replaced, and text that a
// spreadsheet would take for a formula has a ' in front: see csv_field().
#include "gridsmith/base/safe_text.hpp"
#include "gridsmith/results/formats/formats.hpp"
#include "gridsmith/results/measurement/derived.hpp"
#include "gridsmith/results/measurement/objective.hpp"

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
struct Column {
  std::string title;
  std::function<std::string(const Export&, const Measurement&)> field;
};

Column of_export(std::string title, std::function<std::string(const Recording&)> field) {
  return {std::move(title), [field = std::move(field)](const Export& of, const Measurement&) {
            return field(of.recording);
          }};
}

Column plain(std::string title, std::function<std::string(const Measurement&)> field) {
  return {std::move(title),
          [field = std::move(field)](const Export&, const Measurement& row) { return field(row); }};
}

Column summary(std::string title, double TimeSummary::* member) {
  return plain(std::move(title), [member](const Measurement& row) {
    const auto times = time_of(row);
    return times ? number((*times).*member) : std::string();
  });
}

template <class Integer>
Column fact(std::string title, Integer CompileFacts::* member) {
  return plain(std::move(title), [member](const Measurement& row) {
    return row.compile_facts ? std::to_string((*row.compile_facts).*member) : std::string();
  });
}

Column shape(std::string title, std::function<std::int64_t(const Geometry&)> extent) {
  return plain(std::move(title), [extent = std::move(extent)](const Measurement& row) {
    return row.geometry == Geometry{} ? std::string() : std::to_string(extent(row.geometry));
  });
}

/// Names in the order of first appearance.
void remember(std::vector<std::string>& names, const std::string& name) {
  if (std::find(names.begin(), names.end(), name) == names.end())
    names.push_back(name);
}

void add_parameters(std::vector<Column>& columns, std::span<const Export> exports) {
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

void add_counters(std::vector<Column>& columns, std::span<const Export> exports) {
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

/// The derived metrics of a row. The time is the row's own.
std::optional<double> derived(const Metric& metric, const Export& of, const Measurement& row) {
  return metric_value(metric, metric_facts(row, of.recording.device, of.recording.peaks,
                                           of.recording.workload, cost_ms(row).value_or(0),
                                           of.recording.own_metrics));
}

/// Calls visit(export, row, value) for each value that the metric has.
template <class Visit>
void each_value(const Metric& metric, std::span<const Export> exports, const Visit& visit) {
  for (const Export& of : exports)
    for (const Measurement& row : of.recording.measurements)
      if (const auto value = derived(metric, of, row))
        visit(row, *value);
}

/// Whether there are values, and they are more than one counter's over again.
bool says_more(const Metric& metric, std::span<const Export> exports) {
  std::optional<std::set<std::string>> same; // counters that were equal in every row so far
  each_value(metric, exports, [&](const Measurement& row, double value) {
    std::set<std::string> equal;
    for (const auto& [name, counted] : row.counters)
      if (counted == value && (!same || same->contains(name)))
        equal.insert(name);
    same = std::move(equal);
  });
  return same && same->empty();
}

void add_metrics(std::vector<Column>& columns, std::span<const Export> exports) {
  for (const Metric& metric : metric_catalogue())
    if (says_more(metric, exports))
      columns.push_back({metric.name, [&metric](const Export& of, const Measurement& row) {
                           return number(derived(metric, of, row));
                         }});
}

/// Those of definitions; another export's of the same name is its own.
void add_own_metrics(std::vector<Column>& columns, std::span<const Export> exports) {
  std::vector<std::string> names;
  for (const Export& exported : exports)
    for (const Metric& metric : exported.recording.own_metrics.metrics)
      remember(names, metric.name);
  for (const std::string& name : names)
    columns.push_back({name, [name](const Export& of, const Measurement& row) {
                         for (const Metric& metric : of.recording.own_metrics.metrics)
                           if (metric.name == name)
                             return number(derived(metric, of, row));
                         return std::string();
                       }});
}

/// Where there is a rate that cannot be.
void add_doubts(std::vector<Column>& columns, std::span<const Export> exports) {
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

void add_geometry(std::vector<Column>& columns) {
  for (std::size_t axis = 0; axis < 3; ++axis)
    columns.push_back(shape(std::string("grid_") + "xyz"[axis],
                            [axis](const Geometry& geometry) { return geometry.grid[axis]; }));
  for (std::size_t axis = 0; axis < 3; ++axis)
    columns.push_back(shape(std::string("block_") + "xyz"[axis],
                            [axis](const Geometry& geometry) { return geometry.block[axis]; }));
  columns.push_back(shape("dynamic_shared_bytes",
                          [](const Geometry& geometry) { return geometry.dynamic_shared_bytes; }));
}

void add_times(std::vector<Column>& columns) {
  columns.push_back(
      plain("reported_ms", [](const Measurement& row) { return number(row.reported_ms); }));
  columns.push_back(summary("median_ms", &TimeSummary::median_ms));
  columns.push_back(summary("low_ms", &TimeSummary::low_ms));
  columns.push_back(summary("high_ms", &TimeSummary::high_ms));
  columns.push_back(summary("first_quartile_ms", &TimeSummary::first_quartile_ms));
  columns.push_back(summary("third_quartile_ms", &TimeSummary::third_quartile_ms));
  columns.push_back(summary("min_ms", &TimeSummary::min_ms));
  columns.push_back(plain("samples", [](const Measurement& row) {
    const auto time = time_of(row);
    return std::to_string(time ? time->samples : 0);
  }));
  columns.push_back(
      plain("pruned_early", [](const Measurement& row) { return row.pruned_early ? "1" : "0"; }));
  columns.push_back(plain("same_code_as", [](const Measurement& row) { return row.same_code_as; }));
}

std::vector<Column> columns_of(std::span<const Export> exports) {
  std::vector<Column> columns = {
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
  add_times(columns);
  add_geometry(columns);
  columns.push_back(fact("registers_per_thread", &CompileFacts::registers_per_thread));
  columns.push_back(fact("static_shared_bytes", &CompileFacts::static_shared_bytes));
  columns.push_back(fact("local_bytes", &CompileFacts::local_bytes));
  columns.push_back(fact("spill_store_bytes", &CompileFacts::spill_store_bytes));
  columns.push_back(fact("spill_load_bytes", &CompileFacts::spill_load_bytes));
  columns.push_back(
      plain("sm_clock_mhz", [](const Measurement& row) { return number(row.sm_clock_mhz); }));
  columns.push_back(plain("compile_ms", [](const Measurement& row) {
    return row.spent.compile_ms > 0 ? number(row.spent.compile_ms) : std::string();
  }));
  columns.push_back({"predicted_occupancy_percent", [](const Export& of, const Measurement& row) {
                       const auto found = predicted_occupancy(of.recording.device, row);
                       return found ? number(100 * found->fraction) : std::string();
                     }});
  columns.push_back(plain("when", [](const Measurement& row) { return row.when; }));
  columns.push_back(
      of_export("driver", [](const Recording& of) { return of.device.driver_version; }));
  columns.push_back(
      of_export("toolkit", [](const Recording& of) { return of.device.toolkit_version; }));
  columns.push_back(of_export("source_hash", [](const Recording& of) { return of.source_hash; }));
  add_doubts(columns, exports);
  add_metrics(columns, exports);
  add_own_metrics(columns, exports);
  add_counters(columns, exports);
  return columns;
}

} // namespace

std::string csv_text(std::span<const Export> exports) {
  const std::vector<Column> columns = columns_of(exports);
  std::string text;
  const auto line = [&](const auto& field_of) {
    const char* separator = "";
    for (const Column& column : columns) {
      text += separator;
      text += csv_field(field_of(column));
      separator = ",";
    }
    text += '\n';
  };
  line([](const Column& column) { return column.title; });
  for (const Export& exported : exports)
    for (const Measurement& row : exported.recording.measurements)
      line([&](const Column& column) { return column.field(exported, row); });
  return text;
}

} // namespace gridsmith
