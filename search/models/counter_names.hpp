// SPDX-License-Identifier: Apache-2.0
// All that search knows of facts by their names: NVIDIA's naming scheme of counters (Nsight
// Compute, "Metrics naming conventions": <unit>__<what>.<rollup>[.<submetric>]) and the predicted
// occupancy.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace gridsmith {

/// What a counter's name says about its use here.
enum class CounterRole {
  none,      ///< no measure of work (ratios, elapsed time, whole-chip activity)
  busy,      ///< percent of a unit's peak: with the cost, the time this unit needs by itself
  amount,    ///< a sum: proportional to the time some unit needs
  occupancy, ///< percent of the warps that could be active
};
CounterRole kind_of_counter(std::string_view name);

/// Percent of the device's warps active: measured, else the predicted "occupancy" (a fraction).
std::optional<double> occupancy_percent(const std::map<std::string, double>& facts);

/// The predicted "occupancy" is there, and it is none.
bool cannot_launch(const std::map<std::string, double>& facts);

} // namespace gridsmith
