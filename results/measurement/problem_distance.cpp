// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/results/measurement/problem_distance.hpp"

#include "gridsmith/kernels/definition/problem_size.hpp"

#include <cmath>
#include <limits>

namespace gridsmith {

double problem_distance(std::string_view a, std::string_view b) {
  if (a == b)
    return 0;
  const auto left = extents_of(a);
  const auto right = extents_of(b);
  if (left.empty() || left.size() != right.size())
    return std::numeric_limits<double>::infinity();
  double distance = 0;
  for (std::size_t i = 0; i < left.size(); ++i)
    distance += std::abs(std::log2(static_cast<double>(left[i]) / static_cast<double>(right[i])));
  return distance;
}

} // namespace gridsmith
