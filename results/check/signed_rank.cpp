// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/results/check/signed_rank.hpp"

#include "gridsmith/base/statistics.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>

namespace gridsmith {
namespace {

/// P(W = w) of the sum of the ranks with a positive sign, for w = 0 … n (n + 1) / 2, where either
/// sign is as likely.
std::vector<double> distribution(std::size_t n) {
  std::vector<double> chance(n * (n + 1) / 2 + 1, 0.0);
  chance[0] = 1;
  std::size_t top = 0;
  for (std::size_t rank = 1; rank <= n; ++rank) {
    top += rank;
    for (std::size_t w = top + 1; w-- > 0;)
      chance[w] = (chance[w] + (w >= rank ? chance[w - rank] : 0)) / 2;
  }
  return chance;
}

std::vector<double> walsh_averages(std::span<const double> differences) {
  std::vector<double> averages;
  averages.reserve(differences.size() * (differences.size() + 1) / 2);
  for (std::size_t i = 0; i < differences.size(); ++i)
    for (std::size_t j = i; j < differences.size(); ++j)
      averages.push_back((differences[i] + differences[j]) / 2);
  std::sort(averages.begin(), averages.end());
  return averages;
}

} // namespace

Centre centre_of(std::span<const double> differences, double error) {
  const std::vector<double> averages = walsh_averages(differences);
  const std::vector<double> chance = distribution(differences.size());
  // The bound is the k-th lowest average, with P(W < k) no more than half of the error.
  std::size_t k = 0;
  for (double below = chance[0]; below <= error / 2 && k + 1 < averages.size(); below += chance[k])
    ++k;
  constexpr double infinite = std::numeric_limits<double>::infinity();
  if (k == 0)
    return {median(averages), -infinite, infinite};
  return {median(averages), averages[k - 1], averages[averages.size() - k]};
}

/// W counts the Walsh averages above the bound: Tukey's form of the rank sum, which needs no ranks.
double chance_above(std::span<const double> differences, double bound) {
  if (differences.empty())
    return 1;
  double above = 0;
  for (const double average : walsh_averages(differences))
    above += average > bound ? 1 : average == bound ? 0.5 : 0;
  const std::vector<double> chance = distribution(differences.size());
  double sum = 0;
  for (std::size_t w = chance.size(); w-- > 0 && static_cast<double>(w) >= above;)
    sum += chance[w];
  return std::min(1.0, sum);
}

int fewest_for(double error) {
  return static_cast<int>(std::ceil(-std::log2(error)));
}

} // namespace gridsmith
