// SPDX-License-Identifier: Apache-2.0
// The one table of what is known of a measured configuration as a number: times, clock, shape, what the compiler said,
// metrics and counters. CSV, the page, the terminal, JSON and what tells configurations apart take from it by kind,
// by name, or by where it is seen. A row of measured_facts() in quantities.cpp is all that a new one needs.
#pragma once

#include "gridsmith/metrics/catalogue/metrics.hpp"
#include "gridsmith/results/measurement/recording.hpp"

#include <array>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace gridsmith {

struct Quantity {
  enum class Kind { time, order, result, geometry, compiled, metric, rate, counter };

  /// Where a fact is seen, but for those that are taken there by name. What explains is on the page too.
  enum Seen : unsigned {
    in_csv = 1,
    on_page = 2,
    explains = 4,      ///< named where configurations differ, and why one is faster
    in_comparison = 8, ///< in the terminal, of the winner and others
    in_answer = 16     ///< in JSON, of each of the ranking
  };

  std::string name; ///< "store_sectors_per_request", "registers", CUPTI's for a counter of no name
  Kind kind = Kind::time;
  std::string unit;  ///< "", "B", "%", "ms"; a fact of unit "" or "B" is a whole number
  std::string words; ///< "global store sectors per request"
  unsigned seen = 0; ///< of a fact, where
  /// Nothing where it is not known of this measurement. Device, peaks and work model are the recording's.
  std::function<std::optional<double>(const Measurement&, const Recording&)> value;
  Better better = Better::neither;
  /// It is the time in other words (a rate, a duration): it would change if the same launch had only
  /// taken longer, so it explains nothing.
  bool of_time = false;

  bool is_fact() const { return kind < Kind::metric; }

  bool is_whole() const { return is_fact() && (unit.empty() || unit == "B"); }
};

/// As the page and its document have them.
template <>
struct Words<Quantity::Kind> {
  static constexpr std::string_view kind = "kind of column";
  static constexpr std::array<std::string_view, 8> list{"time",    "order",  "result", "geometry",
                                                        "compile", "metric", "rate",   "counter"};
};

/// What every recording may have of a row, whatever was counted.
const std::vector<Quantity>& measured_facts();
/// @pre there is one of this name
const Quantity& measured_fact(std::string_view name);

/// Of the catalogue or of the recording's definition; nullptr where neither has one of this name.
const Metric* metric_named(const std::string& name, const Recording& recording);
/// The value is that of metric_named().
Quantity metric_quantity(const Metric& metric);
/// @param name of the catalogue, else CUPTI's
Quantity counter_quantity(const std::string& name);

/// The time of the timed launches, by the name that explanations use.
Quantity time_quantity();

/// All but the time that explains, is known of one of these measurements and not 0 in all, plainest first:
/// metrics, compile facts, counters. A counter that a metric merely renames is left out.
/// @param recording whose device, peaks and work model hold for them
std::vector<Quantity> quantities_of(std::span<const Measurement* const> measurements,
                                    const Recording& recording);

} // namespace gridsmith
