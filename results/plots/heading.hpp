// SPDX-License-Identifier: Apache-2.0
// What stands around the pictures of a recording.
#pragma once

#include "gridsmith/results/drawing/chart.hpp"
#include "gridsmith/results/measurement/recording.hpp"

#include <string>

namespace gridsmith {

/// In pixels at its default size.
constexpr double picture_width = 480;

/// "transpose 8192x8192 on NVIDIA H200"; what is not known is left out.
std::string title_of(const Recording& recording);

/// How many were measured, when and under which conditions.
std::string caption_of(const Recording& recording);

/// Rows of the recording that a picture points out; nullptr: there is none.
struct PointedOut {
  const Measurement* best =
      nullptr; ///< of the answer, which may be another than the lowest time of a tie
  const Measurement* standard = nullptr; ///< the default
};

} // namespace gridsmith
