// SPDX-License-Identifier: Apache-2.0
// A check whose subjects are at hand, wherever they came from.
#pragma once

#include "gridsmith/tuner/guard/check.hpp"
#include "gridsmith/tuner/guard/check_subject.hpp"

#include <stop_token>
#include <vector>

namespace gridsmith {

/// Compiles, runs and judges them, in their order; what was compiled stays in them. The result's baseline is not set.
/// @throws as run_check()
CheckResult check_subjects(std::vector<CheckSubject>& subjects, const CheckSettings& settings,
                           const Device& device, const std::stop_token& stop,
                           const CheckListener& listener);

} // namespace gridsmith
