// SPDX-License-Identifier: Apache-2.0
// Order statistics of samples. All take sorted, non-empty input; a caller sorts once.
#pragma once

#include <vector>

namespace gridsmith {

/// Linear interpolation between order statistics (Hyndman and Fan 1996, definition 7; the default
/// of numpy and R). An infinite neighbour above gives infinity. @pre sorted, not empty
double quantile(const std::vector<double>& sorted, double probability);

/// The middle sample, or the mean of the two middle ones. @pre sorted, not empty
double median(const std::vector<double>& sorted);

} // namespace gridsmith
