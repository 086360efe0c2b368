// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/results/influence/quantities.hpp"

#include "gridsmith/results/measurement/derived.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <set>
#include <string_view>
#include <utility>

namespace gridsmith {
namespace {

struct CompiledQuantity {
  std::string_view name, words, unit;
  Better better;
  double (*value)(const CompileFacts&, const Geometry&);
};

constexpr std::array compiled_quantities{
    CompiledQuantity{"registers", "registers per thread", "", Better::neither,
                     [](const CompileFacts& facts, const Geometry&) {
                       return static_cast<double>(facts.registers_per_thread);
                     }},
    CompiledQuantity{"spill_bytes", "spilled bytes per thread", "B", Better::lower,
                     [](const CompileFacts& facts, const Geometry&) {
                       return static_cast<double>(facts.spill_store_bytes + facts.spill_load_bytes);
                     }},
    CompiledQuantity{"shared_bytes", "shared memory per block", "B", Better::neither,
                     [](const CompileFacts& facts, const Geometry& geometry) {
                       return static_cast<double>(facts.static_shared_bytes +
                                                  geometry.dynamic_shared_bytes);
                     }},
};

constexpr std::string_view predicted = "predicted_occupancy";

std::optional<double> compiled_value(const std::string& name, const Measurement& measurement,
                                     const Recording& recording) {
  if (name == predicted) {
    const auto found = predicted_occupancy(recording.device, measurement);
    return found ? std::optional(100 * found->fraction) : std::nullopt;
  }
  for (const CompiledQuantity& one : compiled_quantities)
    if (one.name == name && measurement.compile_facts)
      return one.value(*measurement.compile_facts, measurement.geometry);
  return std::nullopt;
}

std::optional<double> counter_value(const std::string& name, const CounterValues& values) {
  if (const Counter* counter = find_counter(name))
    return value_of(*counter, values);
  const auto found = values.find(name);
  return found == values.end() ? std::nullopt : std::optional(found->second);
}

/// What a counter would have been, times this, if the same work had taken longer. Powers of two, so
/// that nothing is rounded, and another for each clock: a quotient of two clocks tells of the time too,
/// by what is counted beside the kernel.
double when_slower(std::string_view cupti) {
  const auto has = [&](std::string_view part) { return cupti.find(part) != cupti.npos; };
  const bool of_elapsed = has("per_second") || has("per_cycle_elapsed") || has("sustained_elapsed");
  const bool of_active = has("per_cycle_active") || has("sustained_active");
  if (of_elapsed || (of_active && !has("warps_"))) // warps on an SM are a state, not work
    return 0.5;
  const std::string_view unit = counter_unit(cupti);
  return unit == "ns" ? 4 : unit != "cycles" ? 1 : has("elapsed") ? 8 : 16;
}

/// The same work, slower.
Measurement slowed(Measurement measurement) {
  for (auto& [name, value] : measurement.counters)
    value *= when_slower(name);
  for (double& time : measurement.times_ms)
    time *= 2;
  if (measurement.reported_ms)
    *measurement.reported_ms *= 2;
  return measurement;
}

/// Words of names that are not simply written as they are.
constexpr std::array<std::pair<std::string_view, std::string_view>, 19> spelling{{
    {"dram", "DRAM"}, {"l1", "L1"},   {"l2", "L2"},       {"sm", "SM"},
    {"tma", "TMA"},   {"ipc", "IPC"}, {"fp16", "FP16"},   {"fp32", "FP32"},
    {"fp64", "FP64"}, {"lsu", "LSU"}, {"alu", "ALU"},     {"fma", "FMA"},
    {"xu", "XU"},     {"adu", "ADU"}, {"cbu", "CBU"},     {"async", "asynchronous"},
    {"gb", "GB"},     {"ghz", "GHz"}, {"gflop", "GFLOP"},
}};

std::string spelt(std::string_view word) {
  for (const auto& [from, to] : spelling)
    if (from == word)
      return std::string(to);
  return std::string(word);
}

/// "store_sectors_per_request" -> "global store sectors per request". What stands beside the unit
/// anyway is not said twice.
std::string described(std::string_view name, std::string_view unit) {
  if (name.find("__") != name.npos)
    return std::string(name); // CUPTI's own
  constexpr std::string_view percent = "_percent";
  if (unit == "%" && name.ends_with(percent))
    name.remove_suffix(percent.size());
  std::string text = name.starts_with("load_") || name.starts_with("store_") ? "global" : "";
  while (!name.empty()) {
    const auto end = std::min(name.find('_'), name.size());
    text += (text.empty() ? "" : " ") + spelt(name.substr(0, end));
    name.remove_prefix(std::min(end + 1, name.size()));
  }
  return text;
}

std::vector<Quantity> metric_quantities(const Recording& recording) {
  std::vector<Quantity> all;
  for (const auto* list : {&metric_catalogue(), &recording.own_metrics.metrics})
    for (const Metric& one : *list)
      all.push_back(
          {Quantity::Kind::metric, one.name, described(one.name, one.unit), one.unit, one.better});
  return all;
}

void add_compiled(std::vector<Quantity>& all) {
  for (const CompiledQuantity& one : compiled_quantities)
    all.push_back({Quantity::Kind::compiled, std::string(one.name), std::string(one.words),
                   std::string(one.unit), one.better});
  all.push_back({Quantity::Kind::compiled, std::string(predicted), "predicted occupancy", "%",
                 Better::higher});
}

bool renamed_by_a_metric(std::string_view counter) {
  const auto& metrics = metric_catalogue();
  return std::any_of(metrics.begin(), metrics.end(), [&](const Metric& metric) {
    return std::find(metric.formulas.begin(), metric.formulas.end(), counter) !=
           metric.formulas.end();
  });
}

/// The board's energy, and how far a result is off, are no cause of its time.
bool is_no_cause(const Quantity& quantity) {
  std::vector<std::string> counters;
  if (const Counter* counter = find_counter(quantity.name))
    counters.emplace_back(counter->cupti);
  else if (const Metric* metric = find_metric(quantity.name))
    for (const std::string_view name : counters_of(*metric))
      counters.emplace_back(find_counter(name)->cupti);
  return std::any_of(counters.begin(), counters.end(), [](const std::string& name) {
    return counter_kind(name) != CounterKind::profiler;
  });
}

/// By their own names those that are in no catalogue.
void add_counters(std::span<const Measurement* const> measurements, std::vector<Quantity>& all) {
  std::set<std::string> counted;
  for (const Measurement* measurement : measurements)
    for (const auto& [name, value] : measurement->counters)
      counted.insert(name);
  for (const Counter& one : counter_catalogue()) {
    counted.erase(std::string(one.cupti));
    counted.erase(std::string(one.on_gb20x));
    const std::string unit(counter_unit(one.cupti));
    if (!renamed_by_a_metric(one.name))
      all.push_back(
          {Quantity::Kind::counter, std::string(one.name), described(one.name, unit), unit});
  }
  for (const std::string& name : counted)
    all.push_back({Quantity::Kind::counter, name, name, std::string(counter_unit(name))});
}

} // namespace

Quantity time_quantity() {
  return {Quantity::Kind::time, "time", "time", "ms", Better::lower, true};
}

std::vector<Quantity> quantities_of(std::span<const Measurement* const> measurements,
                                    const Recording& recording) {
  std::vector<Quantity> all = metric_quantities(recording);
  add_compiled(all);
  add_counters(measurements, all);
  std::vector<Quantity> known;
  for (Quantity& one : all)
    for (const Measurement* measurement : measurements)
      if (const auto value = value_of(one, *measurement, recording); value.value_or(0) != 0) {
        one.of_time = is_no_cause(one) || value_of(one, slowed(*measurement), recording) != value;
        known.push_back(std::move(one));
        break;
      }
  return known;
}

std::optional<double> value_of(const Quantity& quantity, const Measurement& measurement,
                               const Recording& recording) {
  using enum Quantity::Kind;
  switch (quantity.kind) {
  case time:
    return cost_ms(measurement);
  case compiled:
    return compiled_value(quantity.name, measurement, recording);
  case counter:
    return counter_value(quantity.name, measurement.counters);
  case metric:
    return metric_value(quantity.name,
                        metric_facts(measurement, recording.device, recording.peaks,
                                     recording.workload, cost_ms(measurement).value_or(0),
                                     recording.own_metrics));
  }
  return std::nullopt;
}

} // namespace gridsmith
