// SPDX-License-Identifier: Apache-2.0
// All that changes what a measurement means. Part of every record's key and of every export: a
// record serves again only where it was measured under conditions that satisfy what is asked.
#pragma once

#include "gridsmith/base/words.hpp"
#include "gridsmith/results/measurement/sampling.hpp"

#include <array>
#include <optional>
#include <string>
#include <string_view>

namespace gridsmith {

enum class Cache { cold, warm };

template <>
struct Words<Cache> {
  static constexpr std::string_view kind = "cache state";
  static constexpr std::array<std::string_view, 2> list{"cold", "warm"};
};

struct Conditions {
  Cache cache = Cache::cold;           ///< cold: L2 flushed before every sample
  std::optional<int> locked_clock_mhz; ///< SM clock held by us
  std::optional<double> mps_percent;   ///< of the SMs, where MPS allows no more
  bool shared_gpu = false;             ///< another Gridsmith measured on it at the same time
  std::string counter_set = "default"; ///< as wanted_counters() takes them
  Sampling sampling;
  double timeout_s = 10; ///< a launch that takes longer counts as hanging

  bool operator==(const Conditions&) const = default;
};

template <Like<Conditions> T>
void for_fields(T& v, auto&& visit) {
  visit("cache", v.cache);
  visit("locked_clock_mhz", v.locked_clock_mhz);
  visit("mps_percent", v.mps_percent);
  visit("shared_gpu", v.shared_gpu);
  visit("counter_set", v.counter_set);
  visit("sampling", v.sampling);
  visit("timeout_s", v.timeout_s);
}

/// What must be equal for two measurements to be compared at all, as one word for keys:
/// "cold", "warm 1200 MHz". Counter sets are apart: counters do not disturb times.
std::string comparable_text(const Conditions& conditions);

/// One line for people, the same in every output: "L2 flushed before every sample", then whatever
/// is not the default.
std::string to_text(const Conditions& conditions);

} // namespace gridsmith
