// SPDX-License-Identifier: Apache-2.0
// What a number may be, in the same words for who writes an option and for who sets a field.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace gridsmith {

/// More than any count that Gridsmith takes, less than what a signed 64-bit integer holds.
inline constexpr std::uint64_t any_count = 999'999'999'999'999'999;

/// "'nan' is not a number above 0, at most 100000". @param said the value as it was given
std::string not_positive(std::string_view said, double most);

/// "'0' is not a whole number from 1 to 4096".
std::string not_a_count(std::string_view said, std::uint64_t least, std::uint64_t most = any_count);

} // namespace gridsmith
