// SPDX-License-Identifier: Apache-2.0
// The metrics we derive, as data: name, unit, direction, formula and its source; and their values
// from counters, times and facts.
#pragma once

#include "gridsmith/base/fields.hpp"
#include "gridsmith/base/value.hpp"
#include "gridsmith/base/words.hpp"
#include "gridsmith/metrics/catalogue/counters.hpp"
#include "gridsmith/metrics/device/device.hpp"
#include "gridsmith/metrics/device/occupancy.hpp"
#include "gridsmith/metrics/device/peaks.hpp"

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gridsmith {

struct OwnMetrics;

/// What a metric's formula may use: by name, counters, other metrics, device facts
/// (device_facts()), measured peaks ("peak_" and their name), and these. A definition's own also its parameters and
/// extents, which go before all others of their names.
struct MetricFacts {
  const CounterValues& counters;
  const Device& device;
  double time_ms = 0;              ///< of the timed launches, never of the counted one; 0: unknown
  double model_bytes = 0;          ///< least bytes of the work model; 0: unknown
  double model_flops = 0;          ///< 0: unknown
  const Peaks* peaks = nullptr;    ///< measured on the device; none: unknown
  const OwnMetrics* own = nullptr; ///< of the definition; none: it has none
  const CompileFacts* compiled = nullptr;       ///< gives registers_per_thread; none: unknown
  const Configuration* configuration = nullptr; ///< none: unknown
  const Configuration* extents = nullptr;       ///< of the problem, by name; none: unknown
};

enum class Better { neither, higher, lower };

template <>
struct Words<Better> {
  static constexpr std::string_view kind = "direction";
  static constexpr std::array<std::string_view, 3> list{"neither", "higher", "lower"};
};

/// One derived metric: a pure function of facts.
struct Metric {
  std::string name;  ///< "load_sectors_per_request"
  std::string label; ///< column title
  std::string unit;  ///< "", "B", "GB/s", "%", "GFLOP/s", "ms"
  Better better = Better::neither;
  /// In the language of definitions' expressions (base/expression). The first whose names are all
  /// known gives the value.
  std::vector<std::string> formulas;
  std::string source; ///< where the formula comes from
  /// Counters of another way for the same data: where one of them is not 0 the metric would tell
  /// of the rest alone, and is not applicable.
  std::vector<std::string> bypasses = {};
};

/// But for label and bypasses, which those of a definition have not.
template <Like<Metric> T>
void for_fields(T& v, auto&& visit) {
  visit("name", v.name);
  visit("unit", v.unit);
  visit("better", v.better);
  visit("formulas", v.formulas);
  visit("source", v.source);
}

/// A counter that a definition names.
struct OwnCounter {
  std::string name;  ///< as formulas use it
  std::string cupti; ///< with rollup; of the chip that the definition is for
};

template <Like<OwnCounter> T>
void for_fields(T& v, auto&& visit) {
  visit("name", v.name);
  visit("cupti", v.cupti);
}

/// What a definition adds to the catalogue, whose names it cannot have. A formula may use the
/// catalogue, these counters, and those of these metrics that stand before it.
struct OwnMetrics {
  std::vector<OwnCounter> counters;
  std::vector<Metric> metrics;
};

template <Like<OwnMetrics> T>
void for_fields(T& v, auto&& visit) {
  visit("counters", v.counters);
  visit("metrics", v.metrics);
}

/// Every name that a formula may use, but for those of a definition.
std::vector<std::string> formula_names();

const std::vector<Metric>& metric_catalogue();
/// By name; nullptr for a name that is none.
const Metric* find_metric(std::string_view name);

/// Nothing where a counter is absent, a divisor is zero or the metric is not applicable: never a
/// zero in its place.
std::optional<double> metric_value(const Metric& metric, const MetricFacts& facts);
/// Of a metric or a counter by its portable name, or one of the definition's; nothing for a name
/// that is none.
std::optional<double> metric_value(std::string_view name, const MetricFacts& facts);

/// The catalogue's counters that its formulas use, also by way of other metrics, by portable name.
/// @param own of the definition, if the metric is one of those
std::vector<std::string_view> counters_of(const Metric& metric, const OwnMetrics& own = {});
/// Whether they use a counter at all, of the catalogue or of the definition.
bool is_counted(const Metric& metric, const OwnMetrics& own = {});
/// Whether they use a peak that is measured on the device.
bool needs_peaks(const Metric& metric, const OwnMetrics& own = {});

/// Sectors per request a fully coalesced warp needs: 32 lanes * element bytes / 32 bytes per
/// sector.
double ideal_sectors_per_request(int element_bytes);

} // namespace gridsmith
