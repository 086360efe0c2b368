// SPDX-License-Identifier: Apache-2.0
// The tables of an answer: the best below each other, and the winner beside others by what separates
// them.
#pragma once

#include "gridsmith/tuner/session/session.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace gridsmith {

/// The definition's default, where it was tried and gave a right result.
std::optional<Ranked> default_of(const Outcome& outcome);
/// Of those that gave a right result.
std::optional<Ranked> slowest_of(const Outcome& outcome);

/// The best below each other: figures, then the parameters in which they differ, a column each where
/// there is room. A rate that cannot be has a ? beside it. @param ranking not empty
/// @param confirmed false: none of them is the best
std::string ranking_table(const Subject& subject, const std::vector<Ranked>& ranking,
                          std::size_t width, bool confirmed = true);

/// The best under each regime, and what the winner loses there; "" where there was one regime.
std::string regimes_table(const Outcome& outcome, std::size_t width);
/// Likewise at each clock.
std::string clocks_table(const Outcome& outcome, std::size_t width);

/// That its rate is beyond what was measured there.
std::optional<RateDoubt> doubt_of(const Subject& subject, const Ranked& one);

/// The winner beside the second, the default and the slowest, as many of them as there is room for;
/// "" where it is alone. @pre the ranking is not empty
std::string comparison_text(const Outcome& outcome, std::size_t width);

} // namespace gridsmith
