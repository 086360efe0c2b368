// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/results/selection/sample_drift.hpp"

#include "gridsmith/base/statistics.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace gridsmith {
namespace {

constexpr int most_rounds = 100;   // each halves what is left to change, more or less
constexpr double no_change = 1e-5; // of a logarithm

using Numbers = std::vector<double>;

double middle(Numbers numbers) {
  std::sort(numbers.begin(), numbers.end());
  return median(numbers);
}

/// Of each series the median beside what its places have.
Numbers levels_of(const std::vector<Numbers>& logs, const Numbers& places) {
  Numbers levels;
  for (const Numbers& one : logs) {
    Numbers left;
    for (std::size_t i = 0; i < one.size(); ++i)
      left.push_back(one[i] - places[i]);
    levels.push_back(middle(std::move(left)));
  }
  return levels;
}

/// Of each place the median over the series that are long enough, around 0.
Numbers places_of(const std::vector<Numbers>& logs, const Numbers& levels, std::size_t count) {
  Numbers places;
  for (std::size_t i = 0; i < count; ++i) {
    Numbers left;
    for (std::size_t s = 0; s < logs.size(); ++s)
      if (i < logs[s].size())
        left.push_back(logs[s][i] - levels[s]);
    places.push_back(middle(std::move(left)));
  }
  const double level = middle(places);
  for (double& one : places)
    one -= level;
  return places;
}

} // namespace

std::vector<double> times_without_drift(std::span<const std::vector<double>> series) {
  std::vector<Numbers> logs(series.begin(), series.end());
  std::size_t longest = 0;
  for (Numbers& one : logs) {
    longest = std::max(longest, one.size());
    std::transform(one.begin(), one.end(), one.begin(), [](double time) { return std::log(time); });
  }
  Numbers levels = levels_of(logs, Numbers(longest, 0.0));
  double change = longest > 1 ? 1 : 0;
  for (int round = 0; round < most_rounds && change > no_change; ++round) {
    Numbers next = levels_of(logs, places_of(logs, levels, longest));
    change = 0;
    for (std::size_t i = 0; i < next.size(); ++i)
      change = std::max(change, std::abs(next[i] - levels[i]));
    levels = std::move(next);
  }
  std::transform(levels.begin(), levels.end(), levels.begin(),
                 [](double one) { return std::exp(one); });
  return levels;
}

} // namespace gridsmith
