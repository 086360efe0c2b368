// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/results/measurement/conditions.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace gridsmith {
namespace {

std::string sentence(Regime regime) {
  switch (regime) {
  case Regime::cold:
    return "L2 flushed before every sample";
  case Regime::warm:
    return "warm cache";
  case Regime::rotate:
    return "launches in a row, on rotating copies of the data";
  case Regime::back_to_back:
    return "launches in a row";
  case Regime::graph:
    return "launches in a row in a CUDA graph";
  }
  return "";
}

} // namespace

int launches_per_sample(Regime regime, double kernel_ms) {
  constexpr double row_ms = 1, least = 2, most = 256;
  switch (regime) {
  case Regime::cold:
    return 1; // a cold cache is cold once
  case Regime::warm:
    return launches_per_sample(kernel_ms);
  default:
    return static_cast<int>(std::clamp(std::ceil(row_ms / std::max(kernel_ms, 1e-6)), least, most));
  }
}

std::string comparable_text(const Conditions& conditions) {
  std::string text(to_text(conditions.regime));
  if (conditions.locked_clock_mhz)
    text += fmt::format(" {} MHz", *conditions.locked_clock_mhz);
  if (conditions.mps_percent)
    text += fmt::format(" MPS {:g} %", *conditions.mps_percent);
  if (conditions.bitwise)
    text += " bitwise";
  return text + (conditions.shared_gpu ? " shared" : "");
}

namespace {

constexpr std::string_view cache_word = " L2 cache", regime_word = "regime ",
                           counters_word = ", counters: ";

bool of_cache(std::string_view text) {
  return text.starts_with("cold") || text.starts_with("warm");
}

} // namespace

std::string summary_of(const std::string& comparable, const std::string& counter_set) {
  std::string text = of_cache(comparable) ? comparable + std::string(cache_word)
                                          : std::string(regime_word) + comparable;
  return text + std::string(counters_word) + counter_set;
}

bool is_summary(std::string_view line) {
  const std::string_view before = line.substr(0, line.find(counters_word));
  return before.size() < line.size() &&
         (before.starts_with(regime_word) || (of_cache(before) && before.ends_with(cache_word)));
}

std::string to_text(const Conditions& conditions) {
  const Conditions usual;
  const Sampling& sampling = conditions.sampling;
  std::string text = sentence(conditions.regime);
  if (conditions.locked_clock_mhz)
    text += fmt::format(", SM clock locked at {} MHz", *conditions.locked_clock_mhz);
  if (conditions.mps_percent)
    text += fmt::format(", on {:g} % of the SMs (MPS)", *conditions.mps_percent);
  if (conditions.shared_gpu)
    text += ", with another Gridsmith on the GPU";
  if (conditions.bitwise)
    text += ", every result the same to the bit";
  if (conditions.counter_set != usual.counter_set)
    text += ", counters: " + conditions.counter_set;
  if (!sampling.prune)
    text += ", nothing pruned early";
  if (sampling.interval != usual.sampling.interval)
    text += fmt::format(", sampled to ±{:g} %", 100 * sampling.interval);
  if (sampling.max_samples != usual.sampling.max_samples)
    text += fmt::format(", at most {} samples", sampling.max_samples);
  if (conditions.timeout_s != usual.timeout_s)
    text += fmt::format(", time-out {:g} s", conditions.timeout_s);
  return text;
}

} // namespace gridsmith
