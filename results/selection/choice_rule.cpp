// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/results/selection/choice_rule.hpp"

#include <bit>
#include <cmath>
#include <limits>

namespace gridsmith {

double log2_linear(std::int64_t extent) {
  if (extent < 1)
    return 0;
  const auto whole = static_cast<int>(std::bit_width(static_cast<std::uint64_t>(extent))) - 1;
  const std::int64_t power = std::int64_t{1} << whole;
  return whole + static_cast<double>(extent - power) / static_cast<double>(power);
}

double doublings(const ProblemSize& a, const ProblemSize& b) {
  if (a.extents.size() != b.extents.size())
    return std::numeric_limits<double>::infinity();
  const auto rounded = [](std::int64_t extent) { return static_cast<float>(log2_linear(extent)); };
  float sum = 0;
  for (std::size_t i = 0; i < a.extents.size(); ++i)
    sum += std::abs(rounded(a.extents[i]) - rounded(b.extents[i]));
  return sum;
}

double correction(std::span<const double> doublings, std::span<const double> ratios) {
  constexpr double own = 1 / (model_doublings * model_doublings);
  double sum = own, weights = own;
  for (std::size_t i = 0; i < ratios.size(); ++i) {
    if (ratios[i] <= 0)
      continue;
    const double weight = 1 / (doublings[i] * doublings[i] + near_squared);
    sum += weight * ratios[i];
    weights += weight;
  }
  return sum / weights;
}

} // namespace gridsmith
