// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/tuner/fleet/anchor_choice.hpp"

#include <algorithm>
#include <utility>

namespace gridsmith {
namespace {

constexpr std::size_t enough = 8; // candidates

} // namespace

void AnchorChoice::consider(const Measurement& measurement) {
  if (!anchor_ && cost_ms(measurement) &&
      std::find(refused_.begin(), refused_.end(), measurement.configuration) == refused_.end())
    candidates_.push_back(measurement);
}

/// Where the first results hold none that is right, nothing has to be compared yet.
void AnchorChoice::choose(bool more_to_come) {
  if (anchor_ || candidates_.empty() || (candidates_.size() < enough && more_to_come))
    return;
  anchor_ = std::min_element(candidates_.begin(), candidates_.end(),
                             [](const Measurement& a, const Measurement& b) {
                               return *cost_ms(a) < *cost_ms(b);
                             })
                ->configuration;
  candidates_.clear();
}

void AnchorChoice::drop() {
  refused_.push_back(*std::exchange(anchor_, std::nullopt));
}

} // namespace gridsmith
