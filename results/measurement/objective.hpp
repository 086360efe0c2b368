// SPDX-License-Identifier: Apache-2.0
// What a search makes as small or as large as it can: a name, a unit, a direction, and the value of
// one measurement: a row of the table in objective.cpp, or a metric.
#pragma once

#include "gridsmith/metrics/catalogue/metrics.hpp"
#include "gridsmith/metrics/device/device.hpp"
#include "gridsmith/results/measurement/measurement.hpp"

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gridsmith {

enum class Direction { minimise, maximise };

/// What an objective may use in addition to the measurement.
struct Workload {
  double model_bytes = 0;     ///< least bytes of the work model; 0: unknown
  double model_flops = 0;     ///< 0: unknown
  Configuration extents = {}; ///< those that the definition's metrics use
};

template <Like<Workload> T>
void for_fields(T& v, auto&& visit) {
  visit("bytes", v.model_bytes);
  visit("flops", v.model_flops);
  visit("extents", v.extents);
}

struct KernelInstance;
/// Of its work model, and the extents that its definition's metrics use.
Workload workload_of(const KernelInstance& instance);

struct Objective {
  std::string name; ///< "time"
  std::string unit; ///< "ms"
  std::string summary;
  Direction direction = Direction::minimise;
  /// Nothing unless the measurement is correct and holds what the objective needs. Not negative.
  std::function<std::optional<double>(const Measurement&, const Workload&)> value;
  /// Samples of the time decide it, so what is slower can be pruned while it is being timed.
  bool by_time = false;
  /// Finalists alone have a value, because that takes seconds of each; what is found before goes by time.
  bool in_finals = false;
  /// That gives its value; "time_ms" is the measurement's.
  std::string metric = {};
  bool counted = false;                        ///< it is made of counters …
  std::vector<std::string_view> counters = {}; ///< … and of these of the catalogue

  /// What searches minimise: the value, or its reciprocal where more is better. Positive.
  std::optional<double> cost(const Measurement& measurement, const Workload& workload = {}) const;
};

/// "time" first.
const std::vector<Objective>& objectives();
/// What races go by: itself, or time where finalists alone have a value.
const Objective& raced_by(const Objective& objective);
/// One of those, or a metric of the definition or of the catalogue of which less or more is better.
/// @param device whose facts the metric may use
/// @throws InputError with the nearest name; for a metric of which neither is better, or that needs a measured peak.
Objective objective(std::string_view name, const OwnMetrics& own = {}, const Device& device = {});

} // namespace gridsmith
