// SPDX-License-Identifier: Apache-2.0
// A picture under construction: head and foot, axes, and labels that keep clear of each other.
#pragma once

#include "gridsmith/results/drawing/axis.hpp"
#include "gridsmith/results/drawing/scene.hpp"

#include <string>
#include <vector>

namespace gridsmith {

/// What stands around a picture.
struct Heading {
  std::string title;   ///< "transpose 8192x8192 on NVIDIA H200"
  std::string finding; ///< what is to be seen, a sentence
  std::string caption; ///< how it was measured
};

inline constexpr double text_size = 9, small_size = 7.5;

/// Where a label is tried first.
enum class Around { beside, above, below };

class Chart {
public:
  Chart(double width, TextWidth width_of);

  double width_of(const std::string& text, double size = text_size) const;

  /// Texts keep their place clear of the labels that follow.
  void add(Part part);

  /// Labels that follow stay out of it.
  void keep_free(const Box& box) { taken_.push_back(box); }

  /// Whether it meets nothing that must be kept clear.
  bool is_free(const Text& text) const;
  /// In the first free one of the places around `at`, this far from it. @return whether there was one
  bool label(Text text, Point at, double distance, Around first = Around::beside);

  /// Title and finding above, caption below, each broken to the width, and so far apart; once, first.
  /// @return what is between
  Box head_and_foot(const Heading& heading, double apart);

  /// The part of `between` that is left next to the names of two axes.
  /// @param right for labels to the right of it
  Box area_in(const Box& between, const std::vector<Tick>& up, double right) const;
  /// The area's edge with ticks, lines of the grid and a title: below it, and left of it.
  void draw_across(const Axis& axis, const Box& area, const std::string& title);
  void draw_up(const Axis& axis, const Box& area, const std::string& title);

  Scene finished() && { return std::move(scene_); }

private:
  std::vector<std::string> broken(const std::string& text, double size, bool bold) const;
  /// Lines from `y` down; the base line of the next.
  double write_lines(const std::string& text, double y, Text style);

  Scene scene_;
  TextWidth width_of_;
  std::vector<Box> taken_;
};

/// Where labels of a column stand that want these heights: in their order, `gap` apart at least, within
/// low … high as far as they fit, and moved as little as possible.
std::vector<double> spread(std::vector<double> wanted, double gap, double low, double high);

} // namespace gridsmith
