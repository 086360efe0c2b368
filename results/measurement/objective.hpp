// SPDX-License-Identifier: Apache-2.0
// What a search makes as small or as large as it can: a name, a unit, a direction, and the value of
// one measurement: a row of the table in objective.cpp, or a metric.
#pragma once

#include "gridsmith/metrics/catalogue/metrics.hpp"
#include "gridsmith/metrics/device/device.hpp"
#include "gridsmith/results/measurement/measurement.hpp"

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace gridsmith {

enum class Direction { minimise, maximise };

/// What an objective may use in addition to the measurement.
struct Workload {
  double model_bytes = 0; ///< least bytes of the work model; 0: unknown
  double model_flops = 0; ///< 0: unknown
};

template <Like<Workload> T>
void for_fields(T& v, auto&& visit) {
  visit("bytes", v.model_bytes);
  visit("flops", v.model_flops);
}

struct Objective {
  std::string name; ///< "time"
  std::string unit; ///< "ms"
  std::string summary;
  Direction direction = Direction::minimise;
  /// Nothing unless the measurement is correct and holds what the objective needs. Not negative.
  std::function<std::optional<double>(const Measurement&, const Workload&)> value;
  /// Samples of the time decide it, so what is slower can be pruned while it is being timed.
  bool by_time = false;
  bool counted = false;                        ///< it is made of counters …
  std::vector<std::string_view> counters = {}; ///< … and of these of the catalogue

  /// What searches minimise: the value, or its reciprocal where more is better. Positive.
  std::optional<double> cost(const Measurement& measurement, const Workload& workload = {}) const;
};

/// "time" first.
const std::vector<Objective>& objectives();
/// One of those, or a metric of the definition or of the catalogue of which less or more is better.
/// @param device whose facts the metric may use
/// @throws InputError with the nearest name; for a metric of which neither is better, or that needs a measured peak.
Objective objective(std::string_view name, const OwnMetrics& own = {}, const Device& device = {});

/// One configuration over several problems: its costs, and the lowest cost of each problem so far.
struct ProblemCost {
  double cost = 0;
  double best = 0; ///< of this problem, over all configurations; > 0
  double weight = 1;
};

/// How costs over problems become one number to be made small.
struct Aggregate {
  std::string name;
  std::string summary;
  std::function<double(std::span<const ProblemCost>)> value; ///< @pre not empty
};

/// "mean": the weighted geometric mean of cost / best; "worst": the largest cost / best.
const std::vector<Aggregate>& aggregates();
/// @throws InputError with the nearest name.
const Aggregate& aggregate(std::string_view name);

} // namespace gridsmith
