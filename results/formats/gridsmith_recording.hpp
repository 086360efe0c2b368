// Our own recordings: everything a measurement holds, under one header with device, conditions and
// parameters. JSON with one row a line, so that a diff shows which configurations changed.
#pragma once

#include "gridsmith/results/measurement/recording.hpp"

#include <string>

namespace gridsmith {

/// Version written; older ones are read, newer ones refused.
inline constexpr int recording_version = 1;

std::string recording_text(const Recording& recording);

} // namespace gridsmith
