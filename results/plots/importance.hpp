// Which parameters move the time, alone and in pairs: the shares of its variance that a functional
// analysis of variance gives them (results/influence).
#pragma once

#include "gridsmith/results/drawing/chart.hpp"
#include "gridsmith/results/measurement/recording.hpp"

namespace gridsmith {

/// @throws InputError: too few correct configurations, or times that are all the same
Scene importance_plot(const Recording& recording, const TextWidth& width_of);

} // namespace gridsmith
