// SPDX-License-Identifier: Apache-2.0
// What may tell two configurations of a recording apart: metrics, counters, and what the compiler
// said, each with its words for people.
#pragma once

#include "gridsmith/metrics/catalogue/metrics.hpp"
#include "gridsmith/results/measurement/recording.hpp"

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace gridsmith {

struct Quantity {
  enum class Kind { time, compiled, metric, counter };
  Kind kind = Kind::time;
  std::string name;  ///< "store_sectors_per_request", "registers", CUPTI's for a counter of no name
  std::string words; ///< "global store sectors per request"
  std::string unit;  ///< "", "B", "%", "ms"
  Better better = Better::neither;
  /// It is the time in other words (a rate, a duration): it would change if the same launch had only
  /// taken longer, so it explains nothing.
  bool of_time = false;
};

/// The time of the timed launches.
Quantity time_quantity();

/// All but the time that is known of one of these measurements and not 0 in all, plainest first:
/// metrics, compile facts, counters. A counter that a metric merely renames is left out.
/// @param recording whose device, peaks and work model hold for them
std::vector<Quantity> quantities_of(std::span<const Measurement* const> measurements,
                                    const Recording& recording);

/// Nothing where it is not known of this measurement.
std::optional<double> value_of(const Quantity& quantity, const Measurement& measurement,
                               const Recording& recording);

} // namespace gridsmith
