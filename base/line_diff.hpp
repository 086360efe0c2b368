// SPDX-License-Identifier: Apache-2.0
// What changed between two texts, as patch(1) and pull requests show it.
#pragma once

#include <string>
#include <string_view>

namespace gridsmith {

/// A unified diff with three lines of context; "" for equal texts. Shortest: Myers, An O(ND) difference
/// algorithm and its variations, Algorithmica 1 (1986).
/// @param name of the file, on both sides
std::string line_diff(std::string_view before, std::string_view after, const std::string& name);

} // namespace gridsmith
