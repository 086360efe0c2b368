// SPDX-License-Identifier: Apache-2.0
// What a search makes as small or as large as it can: a name, a unit, a direction, and the value of
// one measurement. Another objective is one more row of the table in objective.cpp.
#pragma once

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
  /// Nothing unless the measurement is correct and holds what the objective needs. Positive.
  std::function<std::optional<double>(const Measurement&, const Workload&)> value;
  /// Samples of the time decide it, so what is slower can be pruned while it is being timed.
  bool by_time = false;

  /// What searches minimise: the value, or its reciprocal where more is better.
  std::optional<double> cost(const Measurement& measurement, const Workload& workload = {}) const;
};

/// "time" first.
const std::vector<Objective>& objectives();
/// @throws InputError with the nearest name.
const Objective& objective(std::string_view name);

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
