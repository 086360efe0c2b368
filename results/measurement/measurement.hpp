// What happened to one configuration. A failed one is data too: it has a status and a reason, and
// no times. No sentinel numbers.
#pragma once

#include "gridsmith/kernels/definition/geometry.hpp"
#include "gridsmith/metrics/counters/counters.hpp"
#include "gridsmith/metrics/device/occupancy.hpp"
#include "gridsmith/base/value.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gridsmith {

/// The words of the T4 format.
enum class Status { correct, constraints, compile, runtime, correctness, timeout };
std::string_view to_text(Status status);
/// @throws InputError listing the words.
Status status_from_text(std::string_view text);

/// Median of the samples with its distribution-free interval, and the spread. Milliseconds.
struct TimeSummary {
  double median_ms = 0;
  double low_ms = 0; ///< 95 % interval of the median, from order statistics; below 6 samples the
                     ///< range, which is less sure
  double high_ms = 0;
  double min_ms = 0;
  double iqr_ms = 0; ///< third minus first quartile
  int samples = 0;
};

struct Measurement {
  Configuration configuration;
  Status status = Status::runtime;
  std::string reason;           ///< one line for a failure; "" when correct
  std::vector<double> times_ms; ///< one entry per sample (a batch of launches gives its mean)
  /// Time a foreign file states as its result where that is not the median of its samples (Kernel
  /// Tuner: the mean); what rivals searched by. Nothing for our own measurements.
  std::optional<double> stated_ms;
  bool raced_out = false; ///< dropped early because it cannot be the best
  bool warm = false;      ///< L2 not flushed between samples
  Geometry geometry;
  std::optional<CompileFacts> compile_facts;
  CounterValues counters;        ///< empty when not counted
  std::string uncounted_because; ///< one line when counters were wanted and not read
  double sm_clock_mhz = 0;       ///< while timing; 0: not known
  double compile_ms = 0;         ///< wall time of this compilation; 0: from the cache
  double gpu_ms = 0;             ///< GPU time spent on this configuration, everything
  double verify_ms = 0, time_ms = 0, count_ms = 0; ///< host time of the stages
  std::string when;                                ///< UTC, ISO 8601

  bool correct() const { return status == Status::correct; }
};

/// Summary of the samples; nothing for a measurement without times.
/// Interval: order statistics of the binomial(n, 1/2), Conover, Practical Nonparametric Statistics,
/// §3.2.
std::optional<TimeSummary> summarise(const std::vector<double>& times_ms);
/// Median of the samples; nothing when there are none.
std::optional<double> median_ms(const Measurement& measurement);
/// What searches minimise and "best" means: stated_ms where the file states one, else the median.
/// Nothing unless the measurement is correct.
std::optional<double> cost_ms(const Measurement& measurement);
/// What a strategy is told beside the cost: counters by their names, and, where known, compile
/// facts as "registers", "spill_bytes", "static_shared_bytes", "local_bytes".
std::map<std::string, double> facts_of(const Measurement& measurement);

} // namespace gridsmith
