// SPDX-License-Identifier: Apache-2.0
// What moved what, as sentences for people and as JSON for scripts.
#pragma once

#include "gridsmith/results/influence/difference.hpp"

#include <nlohmann/json_fwd.hpp>

#include <cstddef>
#include <string>
#include <vector>

namespace gridsmith {

/// Each sentence is at most this wide.
inline constexpr std::size_t sentence_width = 100;

/// What explains the time, which parameters move that, and which the time. One sentence that says why
/// where there is nothing to say.
std::vector<std::string> describe(const Influence& influence);
/// "global store sectors per request 32 → 4", one per difference, each with its unit; what became
/// worse says so. One sentence where nothing differs.
std::vector<std::string> describe(const Contrast& contrast);
/// Why the second of a contrast is the faster one, a sentence: its reasons(), without any the parameters in which
/// they differ, that which moves the time most first. If it is not faster, or the two are tied, it says so.
/// @param contrast with more than the few differences that are shown: not each is a reason
/// @param from,to the configurations of the contrast
/// @param other what the first is called: "the default"
std::string why_faster(const Contrast& contrast, const Configuration& from, const Configuration& to,
                       const Influence& known, const std::string& other);

/// Names, shares from 0 to 1, exponents, ratios; null for what is not known.
nlohmann::ordered_json influence_json(const Influence& influence);
nlohmann::ordered_json contrast_json(const Contrast& contrast);

} // namespace gridsmith
