// Where the configurations of a recording stand below the ceilings of their device, and the path from
// the default to the best. A kernel without FLOPs has no arithmetic intensity: of it the rate at each
// level of the memory is shown beside the ceiling.
#pragma once

#include "gridsmith/results/drawing/chart.hpp"
#include "gridsmith/results/measurement/recording.hpp"

namespace gridsmith {

/// @param standard the configuration that the path starts from, of the recording; nullptr: not known
/// @throws InputError: nothing is correct; neither a ceiling nor a counter is known
Scene roofline_plot(const Recording& recording, const Measurement* standard,
                    const TextWidth& width_of);

} // namespace gridsmith
