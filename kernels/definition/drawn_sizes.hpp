// SPDX-License-Identifier: Apache-2.0
// Sizes that were not asked for: measured, they tell what is lost where nothing was tuned.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

namespace gridsmith {

/// Draws sizes among those asked for and half a doubling beyond, by turns: each extent for itself, log-uniform between
/// the least and the most asked for; and anywhere between two of those asked for. A quarter of the extents each are powers
/// of two, multiples of 32, odd, and twice an odd number. Of several sizes asked for, an extent that is always the same stays so,
/// and extents that are always equal stay equal.
/// @param asked extents of each, above 0, all of the same number; at least one
/// @param accepts whether a size can be measured
/// @return at most `count`, none of those asked for, each once; fewer where few are accepted
std::vector<std::vector<std::int64_t>>
drawn_sizes(const std::vector<std::vector<std::int64_t>>& asked, std::size_t count,
            std::uint64_t seed,
            const std::function<bool(const std::vector<std::int64_t>&)>& accepts);

} // namespace gridsmith
