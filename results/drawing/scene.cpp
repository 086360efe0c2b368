// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/results/drawing/scene.hpp"

#include <algorithm>
#include <cmath>

namespace gridsmith {
namespace {

// Of the size: what letters take above and below the base line in common sans serifs.
constexpr double above = 0.78, below = 0.22;

struct Stop {
  double red, green, blue;
};

constexpr std::array<Stop, 3> stops{{{12, 52, 96}, {96, 158, 198}, {240, 243, 236}}};

std::uint8_t mixed(double a, double b, double share) {
  return static_cast<std::uint8_t>(std::lround(a + (b - a) * share));
}

} // namespace

std::vector<Box> boxes_of(const Text& text, const TextWidth& width_of) {
  const double width = width_of(text);
  const double before = text.anchor == Anchor::start    ? 0
                        : text.anchor == Anchor::middle ? width / 2
                                                        : width;
  const double cosine = std::cos(text.angle), sine = std::sin(text.angle);
  const bool turned = std::abs(sine) > 1e-6 && std::abs(cosine) > 1e-6;
  const int pieces = turned ? std::max(1, static_cast<int>(std::ceil(width / text.size))) : 1;
  std::vector<Box> boxes;
  for (int piece = 0; piece < pieces; ++piece) {
    const double from = width * piece / pieces - before, to = width * (piece + 1) / pieces - before;
    Box box{1e9, 1e9, -1e9, -1e9};
    for (const double along : {from, to})
      for (const double down : {-above * text.size, below * text.size}) {
        const double x = text.at.x + along * cosine - down * sine;
        const double y = text.at.y + along * sine + down * cosine;
        box = {std::min(box.left, x), std::min(box.top, y), std::max(box.right, x),
               std::max(box.bottom, y)};
      }
    boxes.push_back(box);
  }
  return boxes;
}

Colour shade(double share) {
  const double along = std::clamp(share, 0.0, 1.0) * (stops.size() - 1);
  const std::size_t first =
      std::min<std::size_t>(static_cast<std::size_t>(along), stops.size() - 2);
  const Stop &a = stops[first], &b = stops[first + 1];
  const double rest = along - static_cast<double>(first);
  return {mixed(a.red, b.red, rest), mixed(a.green, b.green, rest), mixed(a.blue, b.blue, rest)};
}

Colour readable_on(const Colour& ground) {
  // Luma of ITU-R BT.601.
  const double light = 0.299 * ground.red + 0.587 * ground.green + 0.114 * ground.blue;
  return light < 140 ? paper : ink;
}

} // namespace gridsmith
