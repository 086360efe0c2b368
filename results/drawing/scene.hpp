// SPDX-License-Identifier: Apache-2.0
// A picture as values: what is drawn where, and nothing that draws. Lengths are points (1/72 inch),
// x from the left edge, y down from the upper one.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace gridsmith {

struct Colour {
  std::uint8_t red = 0, green = 0, blue = 0;
  double opacity = 1;

  Colour faded(double to) const { return {red, green, blue, to}; }
};

inline constexpr Colour ink{34, 34, 34}, grey{110, 110, 110}, pale{222, 222, 222},
    paper{255, 255, 255};

/// Okabe and Ito's palette, which colour-blind readers can distinguish too: Color Universal Design (2008).
inline constexpr std::array<Colour, 7> palette{{{0, 114, 178},
                                                {213, 94, 0},
                                                {0, 158, 115},
                                                {204, 121, 167},
                                                {230, 159, 0},
                                                {86, 180, 233},
                                                {0, 0, 0}}};

struct Point {
  double x = 0, y = 0;
};

struct Pen {
  Colour colour = ink;
  double width = 1;
  std::vector<double> dash = {}; ///< lengths drawn and left out in turn; empty: a whole line
};

/// Straight lines from place to place.
struct Shape {
  std::vector<Point> places;
  bool closed = false;
  std::optional<Pen> pen = {};
  std::optional<Colour> fill = {};
};

enum class Symbol { circle, square, triangle, diamond };

/// Its middle is at `at`; without a fill it is hollow.
struct Mark {
  Symbol symbol = Symbol::circle;
  Point at;
  double size = 6; ///< across
  std::optional<Pen> pen = {};
  std::optional<Colour> fill = {};
};

enum class Anchor { start, middle, end };

/// One line of text, in the sans serif of the drawing program.
struct Text {
  std::string text;
  Point at; ///< of the text's start, middle or end, on the base line
  double size = 9;
  Anchor anchor = Anchor::start;
  Colour colour = ink;
  bool bold = false;
  double angle = 0;  ///< radians, clockwise around `at`
  bool halo = false; ///< edged with paper, to be read over lines
};

using Part = std::variant<Shape, Mark, Text>;

struct Scene {
  double width = 0, height = 0;
  std::string title, description; ///< for those who do not see it
  std::vector<Part> parts;        ///< the later over the earlier
};

/// How wide a text is when it is drawn; of it text, size and bold count.
using TextWidth = std::function<double(const Text&)>;

struct Box {
  double left = 0, top = 0, right = 0, bottom = 0;

  bool meets(const Box& other) const {
    return left < other.right && other.left < right && top < other.bottom && other.top < bottom;
  }
};

/// What a text covers: one box, or for one that is turned several along it.
std::vector<Box> boxes_of(const Text& text, const TextWidth& width_of);

/// A scale of light, distinguishable without colour too: dark for 0, light for 1.
Colour shade(double share);
/// Ink or paper, whichever is read better on it.
Colour readable_on(const Colour& ground);

} // namespace gridsmith
