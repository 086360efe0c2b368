// SPDX-License-Identifier: Apache-2.0
// What numbers of a session may be. The command line refuses the same by the names of its options.
#pragma once

#include "gridsmith/tuner/session/session.hpp"

#include <cstdint>

namespace gridsmith {

/// Compilers, also where several machines compile for one; each takes some 60 MB.
inline constexpr std::uint64_t most_processes = 1024;
inline constexpr std::uint64_t most_samples = 1'000'000, fastest_clock_mhz = 10'000;
inline constexpr std::uint64_t most_finalists = 10'000;
inline constexpr std::uint64_t most_drawn_or_added = 1000; // sizes
inline constexpr double longest_launch_s = 1e5;
inline constexpr double longest_s = 1e8; ///< of a budget; nobody waits longer (three years)

/// @throws InputError naming the field
void check_limits(const SessionSettings& settings);

} // namespace gridsmith
