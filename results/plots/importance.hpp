// SPDX-License-Identifier: Apache-2.0
// Which parameters move the time, alone and in pairs: the shares of its variance that a functional
// analysis of variance gives them (results/influence).
#pragma once

#include "gridsmith/results/drawing/chart.hpp"
#include "gridsmith/results/measurement/recording.hpp"

#include <string>

namespace gridsmith {

/// @throws InputError: too few correct configurations, or times that are all the same
Scene importance_plot(const Recording& recording, const TextWidth& width_of);

/// What it shows, as a JSON document: {"mains": [{"parameter", "share", "by_chance"}], "pairs": [{"a", "b", "share"}], "explained"}.
/// @throws InputError as importance_plot()
std::string importance_json(const Recording& recording);

} // namespace gridsmith
