// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/results/measurement/sampling.hpp"

#include "gridsmith/results/measurement/time_summary.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace gridsmith {

namespace {

struct Margin {
  double factor;
  double slack_ms;
};

Margin margin_after(std::size_t samples) {
  if (samples == 1)
    return {1.25, 0.005};
  if (samples == 2)
    return {1.10, 0.002};
  return {1.03, 0.001};
}

constexpr std::size_t largest_group = 20; // a better best of another configuration is heard between

} // namespace

bool cannot_win(std::span<const double> times_ms, std::optional<double> best_ms) {
  if (times_ms.empty() || !best_ms)
    return false;
  const Margin margin = margin_after(times_ms.size());
  const double smallest = *std::min_element(times_ms.begin(), times_ms.end());
  return smallest > *best_ms * margin.factor + margin.slack_ms;
}

NextStep next_step(const std::vector<double>& times_ms, std::optional<double> best_ms,
                   const Sampling& rules) {
  if (rules.prune && cannot_win(times_ms, best_ms))
    return NextStep::prune;
  const double spent = std::accumulate(times_ms.begin(), times_ms.end(), 0.0);
  const std::size_t samples = times_ms.size();
  if (samples >= std::max<std::size_t>(rules.max_samples, 1) ||
      (samples > 0 && spent >= rules.max_ms))
    return NextStep::settled;
  if (samples < rules.min_samples)
    return NextStep::sample;
  const auto summary = summarise(times_ms);
  if (!summary)
    return NextStep::sample;
  const double half_width =
      std::max(summary->high_ms - summary->median_ms, summary->median_ms - summary->low_ms);
  if (half_width <= rules.interval * summary->median_ms)
    return NextStep::settled;
  // The whole interval lies above the best's: a sharper median would not change the order.
  if (rules.prune && best_ms && summary->low_ms > *best_ms)
    return NextStep::prune;
  return NextStep::sample;
}

std::size_t next_group(std::size_t samples, const Sampling& rules) {
  const std::size_t most = std::max<std::size_t>(rules.max_samples, 1);
  std::size_t group = 1;
  if (samples >= rules.min_samples)
    group = std::clamp<std::size_t>(samples / 2, 1, largest_group);
  else if (samples >= 2)
    group = std::min(rules.min_samples - samples, largest_group);
  return std::min(group, most - std::min(samples, most));
}

int launches_per_sample(double kernel_ms) {
  constexpr double short_ms = 0.020, wanted_ms = 0.050;
  constexpr double most = 256; // a kernel of less than 0.2 us does not exist
  if (kernel_ms >= short_ms)
    return 1;
  return static_cast<int>(std::clamp(std::ceil(wanted_ms / std::max(kernel_ms, 1e-6)), 2.0, most));
}

} // namespace gridsmith
