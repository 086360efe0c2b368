// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/results/measurement/objective.hpp"

#include "gridsmith/base/expression/expression.hpp"
#include "gridsmith/base/named.hpp"
#include "gridsmith/kernels/definition/instance.hpp"
#include "gridsmith/results/measurement/derived.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace gridsmith {
namespace {

/// A cost is positive, since logarithms are taken of it; that of a metric of 0 is this.
constexpr double least_cost = 1e-18;

std::optional<double> metric_of(std::string_view name, const Measurement& measurement,
                                const Workload& workload, const OwnMetrics& own,
                                const Device& device) {
  const auto time = cost_ms(measurement);
  if (!time)
    return std::nullopt;
  const auto value =
      metric_value(name, metric_facts(measurement, device, {}, workload, *time, own));
  return value && *value >= 0 && std::isfinite(*value) ? value : std::nullopt;
}

Objective row(std::string name, std::string unit, std::string summary, Direction direction,
              const std::string& metric, bool by_time) {
  return {.name = std::move(name),
          .unit = std::move(unit),
          .summary = std::move(summary),
          .direction = direction,
          .value =
              [metric](const Measurement& one, const Workload& workload) {
                return metric_of(metric, one, workload, {}, {});
              },
          .by_time = by_time,
          .metric = metric,
          .counted = is_counted(*find_metric(metric)),
          .counters = counters_of(*find_metric(metric))};
}

/// The metrics that may be one, the definition's first.
std::vector<const Metric*> candidates(const OwnMetrics& own) {
  std::vector<const Metric*> all;
  for (const auto* list : {&own.metrics, &metric_catalogue()})
    for (const Metric& one : *list)
      all.push_back(&one);
  return all;
}

bool needs_board(const std::vector<std::string_view>& counters) {
  return std::any_of(counters.begin(), counters.end(), [](std::string_view name) {
    return counter_kind(find_counter(name)->cupti) == CounterKind::board;
  });
}

InputError unknown_objective(std::string_view name, const OwnMetrics& own) {
  std::vector<std::string> names = names_in(objectives());
  for (const Metric* one : candidates(own))
    if (one->better != Better::neither)
      names.push_back(one->name);
  return InputError(unknown_name("objective", name, names, "gridsmith counters"));
}

} // namespace

std::optional<double> Objective::cost(const Measurement& measurement,
                                      const Workload& workload) const {
  const auto found = value(measurement, workload);
  if (!found)
    return std::nullopt;
  return direction == Direction::minimise ? std::max(*found, least_cost)
                                          : 1 / std::max(*found, least_cost);
}

const Objective& raced_by(const Objective& objective) {
  return objective.in_finals ? objectives().front() : objective;
}

const std::vector<Objective>& objectives() {
  static const std::vector<Objective> table = {
      {"time", "ms", "median time of a launch", Direction::minimise,
       [](const Measurement& one, const Workload&) { return cost_ms(one); }, true, false,
       "time_ms"},
      row("effective_bandwidth", "GB/s", "least bytes of the work model / time",
          Direction::maximise, "effective_gb_per_s", true),
      row("dram_traffic", "bytes", "DRAM bytes read and written, from counters",
          Direction::minimise, "dram_bytes", false),
  };
  return table;
}

Workload workload_of(const KernelInstance& instance) {
  Workload workload{instance.model_bytes, instance.model_flops};
  const auto& extents = instance.definition.extent_names;
  const auto is_extent = [&](const std::string& name) {
    return (name.starts_with("ProblemSize[") ||
            std::find(extents.begin(), extents.end(), name) != extents.end()) &&
           instance.facts.contains(name);
  };
  for (const Metric& metric : instance.definition.own_metrics.metrics)
    for (const std::string& formula : metric.formulas) {
      const Expression parsed = Expression::parse(formula);
      for (const std::string& name : parsed.names())
        if (is_extent(name) && !find_value(workload.extents, name))
          workload.extents.emplace_back(name, instance.facts.at(name));
    }
  return workload;
}

Objective objective(std::string_view name, const OwnMetrics& own, const Device& device) {
  for (const Objective& one : objectives())
    if (one.name == name)
      return one;
  const auto all = candidates(own);
  const auto found =
      std::find_if(all.begin(), all.end(), [&](const Metric* one) { return one->name == name; });
  if (found == all.end())
    throw unknown_objective(name, own);
  const Metric& metric = **found;
  if (metric.better == Better::neither)
    throw InputError(fmt::format(
        "objective '{}': of this metric neither less nor more is better{}", name,
        find_metric(name) ? ""
                          : R"(; say which in the definition: "Better": "lower" or "higher")"));
  if (needs_peaks(metric, own))
    throw InputError(fmt::format("objective '{}': this metric needs a measured peak, and is known "
                                 "only when the search is over",
                                 name));
  const auto counters = counters_of(metric, own);
  return {.name = metric.name,
          .unit = metric.unit,
          .summary = "the metric",
          .direction = metric.better == Better::lower ? Direction::minimise : Direction::maximise,
          .value =
              [name = metric.name, own, device](const Measurement& one, const Workload& workload) {
                return metric_of(name, one, workload, own, device);
              },
          .in_finals = needs_board(counters),
          .metric = metric.name,
          .counted = is_counted(metric, own),
          .counters = counters};
}

} // namespace gridsmith
