// SPDX-License-Identifier: Apache-2.0
// Where the configurations of a recording stand below the ceilings of their device, and the path from
// the default to the best. A kernel without FLOPs has no arithmetic intensity: of it the rate at each
// level of the memory is shown next to the ceiling.
#pragma once

#include "gridsmith/results/plots/heading.hpp"

#include <string>

namespace gridsmith {

/// @param standard the configuration that the path starts from, of the recording; nullptr: not known
/// @throws InputError: nothing is correct; neither a ceiling nor a counter is known
Scene roofline_plot(const Recording& recording, const PointedOut& rows, const TextWidth& width_of);

/// What it shows, as a JSON document: {"best", "default", "configurations"}, each configuration with its values, "time_ms" and
/// "limits": [{"name", "unit", "peak", "measured", "achieved", "flop_per_byte"}]. @throws InputError as above
std::string roofline_json(const Recording& recording, const PointedOut& rows);

} // namespace gridsmith
