// SPDX-License-Identifier: Apache-2.0
// What a failed final makes of a configuration that was right in its race: what holds is the final's
// status. The same for a run, for a campaign's visits and for a store that is read. And who is measured
// again for the sake of the others.
#pragma once

#include "gridsmith/results/measurement/measurement.hpp"
#include "gridsmith/results/measurement/objective.hpp"

#include <span>
#include <string_view>
#include <vector>

namespace gridsmith {

/// How the reason of a failed final begins, from when it is recorded. Records of before do not begin so,
/// and overrule nothing: then finals launched with stale constants, and no record says whether its kernel
/// has constant memory.
inline constexpr std::string_view failed_again = "measured again: ";

/// Of a final that failed, before it is recorded; no effect on any other measurement.
void mark_failed_final(Measurement& measurement);

/// Whether it holds in place of the race's right result.
bool overrules(const Measurement& record);

/// What was right and whose newest final overrules it becomes that final; so does what shares its code.
/// @param rows one per configuration @param finals in the order recorded
/// @return those that became the final of another, whose code they share
std::vector<Measurement> settle(std::vector<Measurement>& rows,
                                std::span<const Measurement> finals);

/// What is measured again to learn whether the board is as fast as a store remembers (stored_drift.hpp): the
/// best of what came from there, where there is enough of it.
std::vector<Configuration> drift_witnesses(std::vector<Measurement> stored,
                                           const Objective& objective, const Workload& workload);

} // namespace gridsmith
