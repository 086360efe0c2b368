// SPDX-License-Identifier: Apache-2.0
// The outcomes of a search over many sizes as people read them: a line a size, and what was chosen
// for all.
#pragma once

#include "gridsmith/search/campaign/campaign_plan.hpp"
#include "gridsmith/tuner/presentation/terminal.hpp"
#include "gridsmith/tuner/session/session.hpp"

#include <span>
#include <string>

namespace gridsmith {

/// @param weights of the outcomes; those missing are 1
std::string campaign_text(std::span<const Outcome> outcomes, Across across,
                          std::span<const double> weights, const Terminal& terminal);

} // namespace gridsmith
