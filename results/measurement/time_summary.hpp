// Samples of one configuration in five numbers.
#pragma once

#include <optional>
#include <vector>

namespace gridsmith {

/// Median of the samples with its distribution-free interval, and the spread. Milliseconds.
struct TimeSummary {
  double median_ms = 0;
  /// 95 % interval of the median, from order statistics; below 6 samples the range, which is less
  /// sure.
  double low_ms = 0, high_ms = 0;
  double min_ms = 0;
  double iqr_ms = 0; ///< third minus first quartile
  int samples = 0;
};

/// Nothing without samples. Interval: order statistics of the binomial(n, 1/2), Conover, Practical
/// Nonparametric Statistics, §3.2.
std::optional<TimeSummary> summarise(const std::vector<double>& times_ms);

} // namespace gridsmith
