// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/results/measurement/comparison.hpp"

#include "gridsmith/base/statistics.hpp"
#include "gridsmith/results/measurement/objective.hpp"

#include <algorithm>
#include <string>
#include <unordered_map>

namespace gridsmith {
namespace {

constexpr int fewest_samples = 6; // see TimeSummary

void compare_one(const Measurement& before, const Measurement& after, Comparison& result) {
  if (before.correct() && !after.correct())
    result.now_failing.push_back(after.configuration);
  if (!before.correct() && after.correct())
    result.now_correct.push_back(after.configuration);
  const auto before_ms = cost_ms(before), after_ms = cost_ms(after);
  if (before_ms && after_ms && !before.pruned_early && !after.pruned_early)
    result.common.push_back({after.configuration, *before_ms, *after_ms});
}

} // namespace

Comparison compare(const Recording& before, const Recording& after) {
  std::unordered_map<Configuration, const Measurement*> held;
  for (const Measurement& one : before.measurements)
    held.emplace(one.configuration, &one);
  Comparison result;
  std::size_t tried_twice = 0;
  for (const Measurement& one : after.measurements) {
    const auto found = held.find(one.configuration);
    if (found == held.end()) {
      ++result.only_after;
      continue;
    }
    ++tried_twice;
    compare_one(*found->second, one, result);
  }
  result.only_before = before.measurements.size() - tried_twice;
  std::stable_sort(result.common.begin(), result.common.end(),
                   [](const auto& a, const auto& b) { return a.ratio() > b.ratio(); });
  return result;
}

std::optional<double> median_ratio(const Comparison& comparison) {
  if (comparison.common.empty())
    return std::nullopt;
  std::vector<double> ratios;
  ratios.reserve(comparison.common.size());
  for (const TimeChange& one : comparison.common)
    ratios.push_back(one.ratio());
  std::sort(ratios.begin(), ratios.end());
  return median(ratios);
}

std::optional<bool> told_apart(const Measurement& before, const Measurement& after) {
  const auto a = summarise(before.times_ms), b = summarise(after.times_ms);
  if (!a || !b || a->samples < fewest_samples || b->samples < fewest_samples)
    return std::nullopt;
  return a->high_ms < b->low_ms || b->high_ms < a->low_ms;
}

} // namespace gridsmith
