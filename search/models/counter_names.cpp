// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/search/models/counter_names.hpp"

namespace gridsmith {
namespace {

constexpr const char* predicted_occupancy = "occupancy";

bool has(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

} // namespace

CounterRole kind_of_counter(std::string_view name) {
  if (has(name, "time_duration") || has(name, "cycles_elapsed"))
    return CounterRole::none;
  const bool percent = has(name, ".pct_of_peak_sustained");
  if (has(name, "warps_active"))
    return percent ? CounterRole::occupancy : CounterRole::none;
  if (has(name, "cycles_active") && !has(name, "pipe"))
    return CounterRole::none; // how long the chip was on: the cost over again
  if (percent)
    return CounterRole::busy;
  return name.ends_with(".sum") ? CounterRole::amount : CounterRole::none;
}

std::optional<double> occupancy_percent(const std::map<std::string, double>& facts) {
  for (const auto& [name, value] : facts)
    if (kind_of_counter(name) == CounterRole::occupancy && value > 0)
      return value;
  const auto predicted = facts.find(predicted_occupancy);
  if (predicted != facts.end() && predicted->second > 0)
    return 100 * predicted->second;
  return std::nullopt;
}

bool cannot_launch(const std::map<std::string, double>& facts) {
  const auto predicted = facts.find(predicted_occupancy);
  return predicted != facts.end() && predicted->second <= 0;
}

} // namespace gridsmith
