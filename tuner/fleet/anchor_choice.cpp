// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/tuner/fleet/anchor_choice.hpp"

#include <algorithm>
#include <utility>

namespace gridsmith {
namespace {

constexpr std::size_t enough = 8; // candidates

} // namespace

void AnchorChoice::consider(const Measurement& measurement) {
  const auto ms = cost_ms(measurement);
  const Configuration& one = measurement.configuration;
  if (!anchor_ && measurement.correct() && ms &&
      std::find(refused_.begin(), refused_.end(), one) == refused_.end())
    candidates_.push_back({*ms, one});
}

/// Where the first results hold none that is right, nothing has to be compared yet.
void AnchorChoice::choose(bool more_to_come) {
  if (anchor_ || candidates_.empty() || (candidates_.size() < enough && more_to_come))
    return;
  anchor_ = std::min_element(
                candidates_.begin(), candidates_.end(),
                [](const Candidate& a, const Candidate& b) { return a.median_ms < b.median_ms; })
                ->configuration;
  candidates_.clear();
}

void AnchorChoice::drop() {
  refused_.push_back(*std::exchange(anchor_, std::nullopt));
}

} // namespace gridsmith
