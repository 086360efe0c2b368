// The catalogue: which hardware counters we collect on which chip family, what we derive from them,
// and from where each formula comes. Data and pure functions; nothing here touches a GPU.
#pragma once

#include "gridsmith/metrics/device/device.hpp"

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gridsmith {

/// Counter values by CUPTI's metric name (with rollup), e.g. "dram__bytes_read.sum".
using CounterValues = std::map<std::string, double>;

/// A set of counters collected together.
struct CounterSet {
  std::string name; ///< the word of the command line: "default", "shared", "full", "none"
  std::string summary;
  /// Metric names for a chip ("GH100"), in an order found to need the fewest passes; families that
  /// lack a counter get its replacement or do without it.
  std::function<std::vector<std::string>(std::string_view chip)> names;
};

const std::vector<CounterSet>& counter_sets();
/// @throws InputError listing the sets.
const CounterSet& counter_set(std::string_view name);

/// The unit of a counter, as CUPTI's way of naming has it: "B", "ns", "%", "cycles"; "" for plain
/// counts and ratios.
std::string_view counter_unit(std::string_view name);

/// What a derived metric may use.
struct MetricFacts {
  const CounterValues& counters;
  const Device& device;
  double time_ms = 0;                       ///< of the timed launches, never of the counted one
  double model_bytes = 0;                   ///< least bytes of the work model; 0: unknown
  double model_flops = 0;                   ///< 0: unknown
  std::optional<double> copy_gb_per_s = {}; ///< the device's measured copy, read + written
};

/// One derived metric: a pure function of facts. Absent counters give no value, never a zero.
struct Metric {
  std::string name;    ///< "load_sectors_per_request"
  std::string label;   ///< column title
  std::string unit;    ///< "", "GB/s", "%", "GFLOP/s"
  std::string formula; ///< as text, with metric names
  std::string source;  ///< where the formula comes from
  std::function<std::optional<double>(const MetricFacts&)> value;
};

const std::vector<Metric>& metric_catalogue();
std::optional<double> metric_value(std::string_view name, const MetricFacts& facts);

/// Sectors per request a fully coalesced warp needs: 32 lanes * element bytes / 32 bytes per
/// sector.
double ideal_sectors_per_request(int element_bytes);

} // namespace gridsmith
