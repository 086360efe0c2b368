// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/metrics/analysis/gain.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace gridsmith {
namespace {

constexpr double most_wide = 2.5; // high over low
constexpr double at_least = 1.55; // either way

} // namespace

Gain gain_between(double low, double likely, double high) {
  Gain gain{std::min(low, likely / at_least), likely, std::max(high, likely * at_least)};
  // What is wider than it may be is cut where it is farther from the estimate.
  const double most = std::sqrt(most_wide);
  if (gain.high / gain.low > most_wide) {
    gain.low = std::max(gain.low, likely / most);
    gain.high = std::min(gain.high, gain.low * most_wide);
    gain.low = std::max(gain.low, gain.high / most_wide);
  }
  return {std::max(1.0, gain.low), std::max(1.0, likely), std::max(1.0, gain.high)};
}

Gain at_most(const Gain& gain, double limit) {
  return {std::min(gain.low, limit), std::min(gain.likely, limit), std::min(gain.high, limit)};
}

std::string to_text(const Gain& gain) {
  const auto ratio = [](double value) {
    return value < 99.5 ? fmt::format("{:.2g}", value) : fmt::format("{:.0f}", value);
  };
  constexpr double nothing = 1.05;
  if (gain.low < nothing)
    return fmt::format("up to {} times as fast", ratio(gain.high));
  return fmt::format("{} to {} times as fast", ratio(gain.low), ratio(gain.high));
}

} // namespace gridsmith
