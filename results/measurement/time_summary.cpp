// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/results/measurement/time_summary.hpp"

#include "gridsmith/base/statistics.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace gridsmith {
namespace {

/// How many order statistics lie outside the interval on each side: the largest k with
/// P(binomial(n, 1/2) <= k - 1) <= 2.5 %. 0 for n < 6, where even minimum to maximum is less sure.
std::size_t outside_each_side(std::size_t n) {
  const auto count = static_cast<double>(n);
  if (n > 1000) // 2^-n underflows soon; the normal approximation is exact enough here
    return static_cast<std::size_t>(std::floor(0.5 * (count - 1.959964 * std::sqrt(count))));
  double term = std::exp2(-count); // P(X = k)
  double below = 0;                // P(X <= k - 1)
  std::size_t k = 0;
  while (below + term <= 0.025) {
    below += term;
    term *= (count - static_cast<double>(k)) / static_cast<double>(k + 1);
    ++k;
  }
  return k;
}

} // namespace

std::optional<TimeSummary> summarise(const std::vector<double>& times_ms) {
  if (times_ms.empty())
    return std::nullopt;
  std::vector<double> sorted = times_ms;
  std::sort(sorted.begin(), sorted.end());
  const std::size_t outside = outside_each_side(sorted.size());
  const std::size_t low = outside > 0 ? outside - 1 : 0; // x_(k) … x_(n+1-k), counted from 1
  TimeSummary summary;
  summary.median_ms = median(sorted);
  summary.low_ms = sorted[low];
  summary.high_ms = sorted[sorted.size() - 1 - low];
  summary.min_ms = sorted.front();
  summary.first_quartile_ms = quantile(sorted, 0.25);
  summary.third_quartile_ms = quantile(sorted, 0.75);
  summary.samples = static_cast<int>(sorted.size());
  return summary;
}

std::string time_words(const TimeSummary& time) {
  return time.samples > 1    ? "median of " + std::to_string(time.samples) + " samples"
         : time.samples == 1 ? "one sample"
                             : "as the file states";
}

} // namespace gridsmith
