// SPDX-License-Identifier: Apache-2.0
// How soon a search found how good a configuration: the best so far as excess over the optimum, on a
// logarithmic axis, against evaluations; several laid over each other.
#pragma once

#include "gridsmith/results/drawing/chart.hpp"
#include "gridsmith/results/measurement/recording.hpp"

#include <string>
#include <vector>

namespace gridsmith {

/// One search, or the median of several of its kind.
struct Course {
  std::string name;
  /// Lowest time so far / optimum after 1, 2, … evaluations: 1 and more, never rising; infinity while
  /// nothing was correct.
  std::vector<double> ratio;
  std::vector<double> low = {}, high = {}; ///< quartiles of several; empty for one
};

/// In the order in which it was measured, or stands in the file where that is not known.
/// @pre optimum_ms > 0
Course course_of(std::string name, const Recording& recording, double optimum_ms);

/// As many as there are colours to tell apart.
inline constexpr std::size_t most_courses = palette.size();

/// @pre no more than most_courses, each with an evaluation
Scene convergence_plot(const std::vector<Course>& courses, const Heading& heading,
                       const TextWidth& width_of);

/// What it shows, as a JSON document: {"courses": [{"name", "ratio", "low", "high", "within_1_percent_after"}]}; null while nothing
/// was correct, or where it never came so near.
std::string convergence_json(const std::vector<Course>& courses);

} // namespace gridsmith
