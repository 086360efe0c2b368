// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/results/measurement/objective.hpp"

#include "gridsmith/metrics/catalogue/metrics.hpp"

#include <algorithm>
#include <cmath>

namespace gridsmith {
namespace {

std::optional<double> metric_of(std::string_view name, const Measurement& measurement,
                                const Workload& workload) {
  const auto time = cost_ms(measurement);
  if (!time)
    return std::nullopt;
  const Device any; // none of these metrics needs a device's facts
  const auto value = metric_value(name, {.counters = measurement.counters,
                                         .device = any,
                                         .time_ms = *time,
                                         .model_bytes = workload.model_bytes,
                                         .model_flops = workload.model_flops});
  return value && *value > 0 ? value : std::nullopt;
}

template <typename Entry>
const Entry& entry_of(const std::vector<Entry>& table, std::string_view kind,
                      std::string_view name) {
  std::vector<std::string> names;
  for (const Entry& entry : table) {
    if (entry.name == name)
      return entry;
    names.push_back(entry.name);
  }
  throw InputError(unknown_name(kind, name, names));
}

} // namespace

std::optional<double> Objective::cost(const Measurement& measurement,
                                      const Workload& workload) const {
  const auto found = value(measurement, workload);
  if (!found || direction == Direction::minimise)
    return found;
  return 1 / *found;
}

const std::vector<Objective>& objectives() {
  static const std::vector<Objective> table = {
      {"time", "ms", "median time of a launch", Direction::minimise,
       [](const Measurement& one, const Workload&) { return cost_ms(one); }, true},
      {"effective_bandwidth", "GB/s", "least bytes of the work model / time", Direction::maximise,
       [](const Measurement& one, const Workload& workload) {
         return metric_of("effective_gb_per_s", one, workload);
       },
       true},
      {"dram_traffic", "bytes", "DRAM bytes read and written, from counters", Direction::minimise,
       [](const Measurement& one, const Workload& workload) {
         return metric_of("dram_bytes", one, workload);
       }},
  };
  return table;
}

const Objective& objective(std::string_view name) {
  return entry_of(objectives(), "objective", name);
}

const std::vector<Aggregate>& aggregates() {
  static const std::vector<Aggregate> table = {
      {"mean", "weighted geometric mean of cost / lowest cost of the problem",
       [](std::span<const ProblemCost> costs) {
         double sum = 0, weights = 0;
         for (const ProblemCost& one : costs) {
           sum += one.weight * std::log(one.cost / one.best);
           weights += one.weight;
         }
         return std::exp(sum / weights);
       }},
      {"worst", "largest cost / lowest cost of the problem",
       [](std::span<const ProblemCost> costs) {
         double worst = 0;
         for (const ProblemCost& one : costs)
           worst = std::max(worst, one.cost / one.best);
         return worst;
       }},
  };
  return table;
}

const Aggregate& aggregate(std::string_view name) {
  return entry_of(aggregates(), "aggregate", name);
}

} // namespace gridsmith
