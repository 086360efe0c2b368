// SPDX-License-Identifier: Apache-2.0
// An explanation for people and for scripts.
#pragma once

#include "gridsmith/results/explanation/explanation.hpp"
#include "gridsmith/results/explanation/winner.hpp"

#include <nlohmann/json.hpp>

#include <cstddef>
#include <string>

namespace gridsmith {

/// The verdict, the causes with what would help, bandwidths, busy units, waits and ceilings.
std::string explanation_text(const LaunchExplanation& explanation, std::size_t width);

/// "Why it won: …" and "Next to try: …", a line for each sentence; "" where there is nothing to say.
std::string winner_text(const Winner& winner, const Verdict& verdict, std::size_t width);

nlohmann::ordered_json explanation_json(const LaunchExplanation& explanation);

} // namespace gridsmith
