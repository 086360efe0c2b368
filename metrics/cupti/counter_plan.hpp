// SPDX-License-Identifier: Apache-2.0
// Planning counters with CUPTI's host half: works without a GPU and without a driver. Built only
// where a toolkit is found. CUPTI's headers stay inside this folder, the one door to CUPTI.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace gridsmith {

/// Chips CUPTI knows ("GH100", …).
std::vector<std::string> supported_chips();

/// Names of `metrics` that CUPTI does not accept for this chip. @throws CuptiError for an unknown
/// chip.
std::vector<std::string> rejected_metrics(std::string_view chip,
                                          const std::vector<std::string>& metrics);

/// Passes a set needs on a chip, planned without counter availability.
std::size_t planned_passes(std::string_view chip, const std::vector<std::string>& metrics);

} // namespace gridsmith
