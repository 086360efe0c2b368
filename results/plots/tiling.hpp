// SPDX-License-Identifier: Apache-2.0
// The time as a heat map over any two parameters: a square for each pair of values, with the best or the
// median of all configurations that have it.
#pragma once

#include "gridsmith/base/words.hpp"
#include "gridsmith/results/drawing/chart.hpp"
#include "gridsmith/results/measurement/recording.hpp"

#include <array>
#include <string>
#include <string_view>

namespace gridsmith {

enum class CellValue { best, median };

template <>
struct Words<CellValue> {
  static constexpr std::string_view kind = "value";
  static constexpr std::array<std::string_view, 2> list{"best", "median"};
};

struct Tiling {
  std::string across, up; ///< parameters; "": the one that moves the time most of those not named
  CellValue value = CellValue::best;
};

/// Values stand in their order where they are numbers, else as declared. What was tried and failed is
/// hatched, what was not tried is empty.
/// @throws InputError: a parameter is not known, or one twice; nothing is correct; too many values
Scene tiling_plot(const Recording& recording, const Tiling& wanted, const Measurement* best,
                  const TextWidth& width_of);

/// What it shows, as a JSON document: {"across", "up", "value", "squares": [{"across", "up", "time_ms", "correct", "failed"}]}; a
/// time is null where all failed. @throws InputError as tiling_plot(), but for many values
std::string tiling_json(const Recording& recording, const Tiling& wanted, const Measurement* best);

} // namespace gridsmith
