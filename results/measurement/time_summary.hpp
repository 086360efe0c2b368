// SPDX-License-Identifier: Apache-2.0
// Samples of one configuration in five numbers.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace gridsmith {

/// Median of the samples with its distribution-free interval, and the spread. Milliseconds.
struct TimeSummary {
  double median_ms = 0;
  /// Order statistics that hold the median with 95 % if the samples are independent (below 6
  /// samples the range, which is less sure). Samples of one stretch are not, so people are shown the
  /// quartiles; what is decided by this is who overlaps whom.
  double low_ms = 0, high_ms = 0;
  double first_quartile_ms = 0, third_quartile_ms = 0; ///< between them the middle half
  double min_ms = 0;
  int samples = 0; ///< 0: a file states the time and nothing else
};

/// Which time it is: "median of 32 samples", "one sample", "as the file states".
std::string time_words(const TimeSummary& time);

/// Nothing without samples. Interval: order statistics of the binomial(n, 1/2), Conover, Practical
/// Nonparametric Statistics, §3.2.
std::optional<TimeSummary> summarise(const std::vector<double>& times_ms);

} // namespace gridsmith
