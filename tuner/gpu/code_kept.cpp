// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/tuner/gpu/code_kept.hpp"

#include <algorithm>

namespace gridsmith {
namespace {

constexpr std::size_t most_fast = 32;        // more than there are finalists
constexpr std::size_t most_uncounted = 2048; // some 100 MB; of more it is compiled again

} // namespace

void CodeKept::keep(const Measurement& measurement, const Code& code) {
  const auto time = cost_ms(measurement);
  if (!measurement.correct() || measurement.pruned_early || !time || !code)
    return;
  const auto place =
      std::upper_bound(fast_.begin(), fast_.end(), *time,
                       [](double ms, const Fast& one) { return ms < one.median_ms; });
  fast_.insert(place, {measurement.configuration, *time, code});
  if (fast_.size() > most_fast)
    fast_.pop_back();
}

void CodeKept::keep_to_count(const Configuration& configuration, const Code& code) {
  if (uncounted_.size() < most_uncounted)
    uncounted_[configuration] = code;
}

CodeKept::Code CodeKept::of(const Configuration& configuration) const {
  const auto found = std::find_if(fast_.begin(), fast_.end(), [&](const Fast& one) {
    return one.configuration == configuration;
  });
  return found == fast_.end() ? nullptr : found->code;
}

CodeKept::Code CodeKept::to_count(const Configuration& configuration) {
  const auto found = uncounted_.find(configuration);
  return found == uncounted_.end() ? of(configuration) : uncounted_.extract(found).mapped();
}

} // namespace gridsmith
