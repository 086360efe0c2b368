// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/results/formats/parts/row_collector.hpp"

#include "gridsmith/results/measurement/validity.hpp"

#include <algorithm>
#include <cmath>

namespace gridsmith {
namespace {

/// Kernel Tuner before 0.4 wrote 1e20 for a configuration that failed.
constexpr double failed_sentinel_ms = 1e20;

/// How near the reported time must be to the median to say nothing new; above rounding, below noise.
constexpr double same_time = 1e-9;

bool value_before(const Value& a, const Value& b) {
  const double left = to_number(a);
  const double right = to_number(b);
  return std::isnan(left) ? false : std::isnan(right) ? true : left < right;
}

/// The value as the list has it (16 for 16.0), or nullptr.
const Value* listed_value(const std::vector<Value>& values, const Value& wanted) {
  const auto found = std::find_if(values.begin(), values.end(),
                                  [&](const Value& value) { return same_value(value, wanted); });
  return found == values.end() ? nullptr : &*found;
}

} // namespace

RowCollector::RowCollector(Recording& recording)
    : recording_(recording), listed_(!recording.parameters.empty()) {
}

void RowCollector::set_aside(const std::string& reason) {
  ++recording_.set_aside[reason];
}

bool RowCollector::in_order(Measurement& measurement) {
  Configuration ordered;
  ordered.reserve(recording_.parameters.size());
  for (const Parameter& parameter : recording_.parameters) {
    const Value* value = find_value(measurement.configuration, parameter.name);
    if (!value) {
      set_aside("parameter missing");
      return false;
    }
    if (listed_)
      value = listed_value(parameter.values, *value);
    if (!value) {
      set_aside("value not listed");
      return false;
    }
    ordered.emplace_back(parameter.name, *value);
  }
  measurement.configuration = std::move(ordered);
  return true;
}

bool RowCollector::first_of_its_kind(const Measurement& measurement) {
  const bool first = seen_.insert(to_text(measurement.configuration)).second;
  if (!first)
    set_aside("duplicate");
  return first;
}

void RowCollector::add(Measurement measurement, const JsonReader& json, std::size_t offset) {
  if (const std::string objection = objection_to(measurement); !objection.empty())
    json.fail_at(offset, objection);
  add(std::move(measurement));
}

void RowCollector::add(Measurement measurement) {
  if (measurement.configuration.empty())
    return set_aside("parameter missing");
  if (listed_ && (!in_order(measurement) || !first_of_its_kind(measurement)))
    return;
  recording_.measurements.push_back(std::move(measurement));
}

bool RowCollector::settle(Measurement& measurement, const ReportedTime& reported) {
  if (!reported.failure.empty() || reported.ms >= failed_sentinel_ms) {
    measurement.reason = reported.failure.empty() ? "recorded as failed" : reported.failure;
    measurement.status = status_of_failure(reported.failure);
    measurement.times_ms.clear();
    return true;
  }
  std::vector<double>& times = measurement.times_ms;
  const auto bad =
      std::erase_if(times, [](double time) { return !std::isfinite(time) || time <= 0; });
  if (bad > 0)
    recording_.set_aside["sample that is no time"] += bad;
  if (reported.present && !(std::isfinite(reported.ms) && reported.ms > 0)) {
    set_aside(std::isnan(reported.ms) ? "time is NaN" : "time is not a positive number");
    return false;
  }
  if (!reported.present && times.empty()) {
    set_aside("no time");
    return false;
  }
  measurement.status = Status::correct;
  const double median = cost_ms(measurement).value_or(0); // 0: no samples
  if (reported.present && std::abs(reported.ms - median) > same_time * median)
    measurement.reported_ms = reported.ms;
  if (times.empty())
    times.push_back(reported.ms);
  return true;
}

void RowCollector::finish() {
  if (listed_)
    return;
  std::vector<Parameter>& parameters = recording_.parameters;
  if (!recording_.measurements.empty())
    for (const auto& [name, value] : recording_.measurements.front().configuration)
      parameters.push_back({name, {}});
  std::erase_if(recording_.measurements, [&](Measurement& row) { return !in_order(row); });
  for (std::size_t p = 0; p < parameters.size(); ++p) {
    std::vector<Value>& values = parameters[p].values;
    std::unordered_set<std::string> known;
    for (Measurement& row : recording_.measurements) {
      Value& value = row.configuration[p].second;
      if (known.contains(to_text(value)))
        continue;
      if (const Value* same = listed_value(values, value)) {
        value = *same;
        continue;
      }
      known.insert(to_text(value));
      values.push_back(value);
    }
    std::stable_sort(values.begin(), values.end(), value_before);
  }
  // Only now: rows may have differed in what is no parameter, and in 16 and 16.0.
  std::erase_if(recording_.measurements,
                [&](const Measurement& row) { return !first_of_its_kind(row); });
}

} // namespace gridsmith
