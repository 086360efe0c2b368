// SPDX-License-Identifier: Apache-2.0
// All that changes what a measurement means. Part of every record's key and of every export: a
// record serves again only where it was measured under conditions that satisfy what is asked.
#pragma once

#include "gridsmith/base/fields.hpp"
#include "gridsmith/base/words.hpp"
#include "gridsmith/results/measurement/sampling.hpp"

#include <array>
#include <optional>
#include <string>
#include <string_view>

namespace gridsmith {

/// How launches follow each other while they are timed.
enum class Regime {
  cold,   ///< a sample is one launch; before it the L2 is flushed
  warm,   ///< right behind a launch of the same; short ones several in a row
  rotate, ///< several in a row, each on another copy of the data, together more than the L2 holds
  back_to_back, ///< several in a row on the same data
  graph,        ///< likewise, as the nodes of a CUDA graph
};

template <>
struct Words<Regime> {
  static constexpr std::string_view kind = "regime";
  static constexpr std::array<std::string_view, 5> list{"cold", "warm", "rotate", "back-to-back",
                                                        "graph"};
};

/// How many launches one sample has, of a kernel that takes so long: cold one; warm see sampling.hpp; else as
/// many as last a millisecond, 2 to 256.
int launches_per_sample(Regime regime, double kernel_ms);

struct Conditions {
  Regime regime = Regime::cold;
  std::optional<int> locked_clock_mhz; ///< SM clock held by us
  std::optional<double> mps_percent;   ///< of the SMs, where MPS allows no more
  bool shared_gpu = false;             ///< another Gridsmith measured on it at the same time
  std::string counter_set = "default"; ///< as wanted_counters() takes them
  Sampling sampling;
  double timeout_s = 10; ///< a launch that takes longer counts as hanging
  bool bitwise = false;  ///< every judged launch has to give the same result, to the bit

  bool operator==(const Conditions&) const = default;
};

template <Like<Conditions> T>
void for_fields(T& v, auto&& visit) {
  visit("regime", v.regime);
  visit("locked_clock_mhz", v.locked_clock_mhz);
  visit("mps_percent", v.mps_percent);
  visit("shared_gpu", v.shared_gpu);
  visit("counter_set", v.counter_set);
  visit("sampling", v.sampling);
  visit("timeout_s", v.timeout_s);
  visit("bitwise", v.bitwise);
}

/// Until version 0.1 there were two regimes, called cache states.
template <>
inline constexpr std::array former_names<Conditions>{FormerName{"regime", "cache"}};

/// What must be equal for two measurements to be compared at all, as one word for keys:
/// "cold", "warm 1200 MHz". Counter sets are apart: counters do not disturb times.
std::string comparable_text(const Conditions& conditions);

/// "cold L2 cache, counters: default": what a store says of all that was measured under such a comparable_text().
std::string summary_of(const std::string& comparable, const std::string& counter_set);
/// Whether a line is such a one: of each measurement its own conditions say more.
bool is_summary(std::string_view line);

/// One line for people, the same in every output: "L2 flushed before every sample", then whatever
/// is not the default.
std::string to_text(const Conditions& conditions);

} // namespace gridsmith
