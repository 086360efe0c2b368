// SPDX-License-Identifier: Apache-2.0
// The outcomes of a search over many sizes as people read them: a line a size that was asked for, what was chosen for
// all, and what a header of them loses elsewhere.
#pragma once

#include "gridsmith/results/selection/selection.hpp"
#include "gridsmith/search/campaign/campaign_plan.hpp"
#include "gridsmith/tuner/presentation/terminal.hpp"
#include "gridsmith/tuner/session/session.hpp"

#include <span>
#include <string>
#include <vector>

namespace gridsmith {

/// @param weights of the outcomes; those missing are 1
/// @param calibrations of the outcomes
std::string campaign_text(std::span<const Outcome> outcomes, Across across,
                          std::span<const double> weights,
                          std::span<const Calibration> calibrations, const Terminal& terminal);

} // namespace gridsmith
