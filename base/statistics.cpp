// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/base/statistics.hpp"

#include <cmath>
#include <cstddef>

namespace gridsmith {

double quantile(const std::vector<double>& sorted, double probability) {
  const double place = probability * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(place);
  const double fraction = place - static_cast<double>(below);
  if (fraction == 0)
    return sorted[below];
  const double low = sorted[below], high = sorted[below + 1];
  return std::isinf(high) ? high : low + fraction * (high - low);
}

double median(const std::vector<double>& sorted) {
  const std::size_t half = sorted.size() / 2;
  return sorted.size() % 2 ? sorted[half] : 0.5 * (sorted[half - 1] + sorted[half]);
}

} // namespace gridsmith
