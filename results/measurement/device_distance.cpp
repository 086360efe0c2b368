// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/results/measurement/device_distance.hpp"

#include <cmath>

namespace gridsmith {

double device_distance(const Device& a, const Device& b) {
  if (a.name == b.name)
    return 0;
  const double generation = std::abs(a.compute_capability - b.compute_capability) / 10.0;
  const double size = a.sm_count > 0 && b.sm_count > 0
                          ? std::abs(std::log2(static_cast<double>(a.sm_count) / b.sm_count))
                          : 1;
  return 1 + generation + size;
}

} // namespace gridsmith
