// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/results/measurement/quantities.hpp"

#include "gridsmith/base/named.hpp"
#include "gridsmith/results/measurement/derived.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>
#include <string_view>
#include <utility>

namespace gridsmith {
namespace {

using Known = std::optional<double>;

Known number_of(auto count) {
  return static_cast<double>(count);
}

Known number_of(std::optional<std::int64_t> count) {
  return count ? Known(static_cast<double>(*count)) : std::nullopt;
}

/// Of whatever was timed, also where the result is wrong.
auto of_samples(double TimeSummary::* member) {
  return [member](const Measurement& one, const Recording&) {
    const auto time = time_of(one);
    return time ? Known((*time).*member) : std::nullopt;
  };
}

/// A recording may not say how it was launched.
auto of_shape(auto number) {
  return [number](const Measurement& one, const Recording&) {
    return one.geometry == Geometry{} ? std::nullopt : number_of(number(one.geometry));
  };
}

auto grid_along(int axis) {
  return of_shape([axis](const Geometry& shape) { return shape.grid[axis]; });
}

auto block_along(int axis) {
  return of_shape([axis](const Geometry& shape) { return shape.block[axis]; });
}

auto of_code(auto CompileFacts::* member) {
  return [member](const Measurement& one, const Recording&) {
    const auto& code = one.compile_facts;
    return code ? number_of((*code).*member) : std::nullopt;
  };
}

Known spilled(const Measurement& one, const Recording&) {
  const auto& code = one.compile_facts;
  return code ? number_of(code->spill_bytes()) : std::nullopt;
}

Known shared_memory(const Measurement& one, const Recording&) {
  const auto& code = one.compile_facts;
  return code ? number_of(code->static_shared_bytes + one.geometry.dynamic_shared_bytes)
              : std::nullopt;
}

Known predicted_percent(const Measurement& one, const Recording& of) {
  const auto found = predicted_occupancy(of.device, one);
  return found ? Known(100 * found->fraction) : std::nullopt;
}

/// In the order of the page. CSV has them by kind.
std::vector<Quantity> fact_rows() {
  using enum Quantity::Kind;
  using enum Quantity::Seen;
  using One = const Measurement&;
  using Of = const Recording&;
  return {
      {"time_ms", time, "ms", "median of its samples, or what the file states where it has none",
       on_page, [](One one, Of) { return cost_ms(one); }, Better::lower},
      {"reported_ms", time, "ms", "what the file states", in_csv,
       [](One one, Of) { return one.reported_ms; }},
      {"median_ms", time, "ms", "median of its samples", in_csv,
       of_samples(&TimeSummary::median_ms)},
      {"low_ms", time, "ms", "lower end of the median's interval", in_csv | on_page,
       of_samples(&TimeSummary::low_ms)},
      {"high_ms", time, "ms", "upper end of the median's interval", in_csv | on_page,
       of_samples(&TimeSummary::high_ms)},
      {"first_quartile_ms", time, "ms", "a quarter of its samples are below", in_csv,
       of_samples(&TimeSummary::first_quartile_ms)},
      {"third_quartile_ms", time, "ms", "a quarter of its samples are above", in_csv,
       of_samples(&TimeSummary::third_quartile_ms)},
      {"min_ms", time, "ms", "least of its samples", in_csv, of_samples(&TimeSummary::min_ms)},
      {"at_s", order, "s", "seconds since the evaluator was started", on_page,
       [](One one, Of) { return one.at_s; }},
      {"pruned", result, "", "timing was broken off early: it cannot be the best", on_page,
       [](One one, Of) { return number_of(one.pruned_early); }},
      {"samples", result, "", "time samples", on_page,
       [](One one, Of) {
         const auto summary = time_of(one);
         return number_of(summary ? summary->samples : 0);
       }},
      {"sm_clock_mhz", result, "MHz", "SM clock while timing, mean", in_csv | on_page | in_answer,
       [](One one, Of) { return one.sm_clock_mhz; }},
      {"compile_ms", result, "ms", "elapsed time of its compilation", in_csv,
       [](One one, Of) {
         const double ms = one.spent.compile_ms;
         return ms > 0 ? Known(ms) : std::nullopt;
       }},
      {"threads_per_block", geometry, "", "threads per block", on_page,
       of_shape([](const Geometry& shape) { return shape.threads_per_block(); })},
      {"grid_x", geometry, "", "blocks of the grid along x", in_csv, grid_along(0)},
      {"grid_y", geometry, "", "blocks of the grid along y", in_csv, grid_along(1)},
      {"grid_z", geometry, "", "blocks of the grid along z", in_csv, grid_along(2)},
      {"block_x", geometry, "", "threads of a block along x", in_csv | on_page, block_along(0)},
      {"block_y", geometry, "", "threads of a block along y", in_csv | on_page, block_along(1)},
      {"block_z", geometry, "", "threads of a block along z", in_csv | on_page, block_along(2)},
      {"blocks", geometry, "", "blocks of the grid", on_page,
       of_shape([](const Geometry& shape) { return shape.blocks(); })},
      {"dynamic_shared_bytes", geometry, "B", "dynamic shared memory per block", in_csv | on_page,
       of_shape([](const Geometry& shape) { return shape.dynamic_shared_bytes; })},
      {"shared_carveout_percent", geometry, "%",
       "share of an SM's L1 and shared memory that is wanted as shared memory", on_page,
       [](One one, Of) { return Known(one.geometry.shared_carveout_percent); }},
      {"registers", compiled, "", "registers per thread", explains | in_comparison,
       of_code(&CompileFacts::registers_per_thread)},
      {"spill_bytes", compiled, "B", "spilled bytes per thread", explains, spilled, Better::lower},
      {"shared_bytes", compiled, "B", "shared memory per block", explains, shared_memory},
      {"static_shared_bytes", compiled, "B", "static shared memory per block", in_csv,
       of_code(&CompileFacts::static_shared_bytes)},
      {"local_bytes", compiled, "B", "local memory per thread", in_csv,
       of_code(&CompileFacts::local_bytes)},
      {"spill_store_bytes", compiled, "B", "spilled bytes stored per thread", in_csv,
       of_code(&CompileFacts::spill_store_bytes)},
      {"spill_load_bytes", compiled, "B", "spilled bytes loaded per thread", in_csv,
       of_code(&CompileFacts::spill_load_bytes)},
      {"predicted_occupancy", compiled, "%", "predicted occupancy", explains | in_comparison,
       predicted_percent, Better::higher},
  };
}

std::optional<double> counter_value(const std::string& name, const CounterValues& values) {
  if (const Counter* counter = find_counter(name))
    return value_of(*counter, values);
  const auto found = values.find(name);
  return found == values.end() ? std::nullopt : std::optional(found->second);
}

/// What a counter would have been, times this, if the same work had taken longer. Powers of two, so
/// that nothing is rounded, and another for each clock: a quotient of two clocks tells of the time too,
/// by what is counted outside the kernel.
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
    counted.erase(std::string(one.in_sectors));
    if (!renamed_by_a_metric(one.name))
      all.push_back(counter_quantity(std::string(one.name)));
  }
  for (const std::string& name : counted)
    all.push_back(counter_quantity(name));
}

} // namespace

const std::vector<Quantity>& measured_facts() {
  static const std::vector<Quantity> facts = fact_rows();
  return facts;
}

const Quantity& measured_fact(std::string_view name) {
  return *find_named(name, measured_facts());
}

const Metric* metric_named(const std::string& name, const Recording& recording) {
  const Metric* found = find_metric(name);
  for (const Metric& own : recording.own_metrics.metrics)
    if (!found && own.name == name)
      found = &own;
  return found;
}

Quantity metric_quantity(const Metric& metric) {
  const auto kind = metric.unit.ends_with("/s") ? Quantity::Kind::rate : Quantity::Kind::metric;
  const auto value = [name = metric.name](const Measurement& one, const Recording& of) {
    const Metric* found = metric_named(name, of);
    return found ? metric_value(*found, metric_facts(one, of.device, of.peaks, of.workload,
                                                     cost_ms(one).value_or(0), of.own_metrics))
                 : std::nullopt;
  };
  const std::string words = described(metric.name, metric.unit);
  return {metric.name, kind, metric.unit, words, 0, value, metric.better};
}

Quantity counter_quantity(const std::string& name) {
  const Counter* counter = find_counter(name);
  const std::string unit(counter_unit(counter ? counter->cupti : name));
  const auto value = [name](const Measurement& one, const Recording&) {
    return counter_value(name, one.counters);
  };
  return {name, Quantity::Kind::counter, unit, counter ? described(name, unit) : name, 0, value};
}

Quantity time_quantity() {
  Quantity time = measured_fact("time_ms");
  time.name = time.words = "time";
  time.of_time = true;
  return time;
}

std::vector<Quantity> quantities_of(std::span<const Measurement* const> measurements,
                                    const Recording& recording) {
  std::vector<Quantity> all;
  for (const auto* list : {&metric_catalogue(), &recording.own_metrics.metrics})
    for (const Metric& one : *list)
      all.push_back(metric_quantity(one));
  for (const Quantity& fact : measured_facts())
    if (fact.seen & Quantity::explains)
      all.push_back(fact);
  add_counters(measurements, all);
  std::map<const Measurement*, Measurement> slower; // of the few that are looked at
  const auto when_slowed = [&](const Measurement& one) -> const Measurement& {
    const auto found = slower.find(&one);
    return found == slower.end() ? slower.emplace(&one, slowed(one)).first->second : found->second;
  };
  std::vector<Quantity> known;
  for (Quantity& one : all)
    for (const Measurement* measurement : measurements)
      if (const auto value = one.value(*measurement, recording); value.value_or(0) != 0) {
        one.of_time = one.of_time || is_no_cause(one) ||
                      one.value(when_slowed(*measurement), recording) != value;
        known.push_back(std::move(one));
        break;
      }
  return known;
}

} // namespace gridsmith
