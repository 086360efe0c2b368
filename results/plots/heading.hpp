// What stands around the pictures of a recording.
#pragma once

#include "gridsmith/results/drawing/chart.hpp"
#include "gridsmith/results/measurement/recording.hpp"

#include <string>

namespace gridsmith {

/// In pixels at its usual size.
constexpr double picture_width = 480;

/// "transpose 8192x8192 on NVIDIA H200"; what is not known is left out.
std::string title_of(const Recording& recording);

/// How many were measured, when and under which conditions.
std::string caption_of(const Recording& recording);

/// The right result with the lowest time; nullptr: none.
const Measurement* fastest_of(const Recording& recording);

} // namespace gridsmith
