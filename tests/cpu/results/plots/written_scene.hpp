// SPDX-License-Identifier: Apache-2.0
// Scenes for tests: measured by a rule, written out, and searched for texts that run into each other.
#pragma once

#include "gridsmith/results/drawing/scene.hpp"

#include <fmt/format.h>

#include <string>

namespace gridsmith::test {

/// Of no real font, so that a layout is the same everywhere.
inline double ruled_width(const Text& text) {
  double letters = 0;
  for (const char c : text.text)
    letters += (static_cast<unsigned char>(c) & 0xC0) == 0x80 ? 0 : 1;
  return letters * text.size * (text.bold ? 0.62 : 0.55);
}

inline std::string written(const Colour& colour) {
  std::string text = fmt::format("#{:02x}{:02x}{:02x}", colour.red, colour.green, colour.blue);
  return colour.opacity < 1 ? text + fmt::format("/{:.2g}", colour.opacity) : text;
}

inline std::string written(const std::optional<Pen>& pen, const std::optional<Colour>& fill) {
  std::string text;
  if (pen)
    text += fmt::format(" pen {} {:.2g}{}", written(pen->colour), pen->width,
                        pen->dash.empty() ? "" : " dashed");
  return fill ? text + " fill " + written(*fill) : text;
}

inline std::string written(const Point& place) {
  return fmt::format(" {:.1f},{:.1f}", place.x, place.y);
}

inline std::string written(const Text& text) {
  static constexpr std::string_view anchors[] = {"start", "middle", "end"};
  return fmt::format("text{} {:g} {}{}{} {}: {}", written(text.at), text.size,
                     anchors[static_cast<std::size_t>(text.anchor)], text.bold ? " bold" : "",
                     text.angle == 0 ? "" : fmt::format(" turned {:.2f}", text.angle),
                     written(text.colour), text.text);
}

inline std::string written(const Shape& shape) {
  std::string text = shape.closed ? "area" : "line";
  for (const Point& one : shape.places)
    text += written(one);
  return text + written(shape.pen, shape.fill);
}

inline std::string written(const Mark& mark) {
  static constexpr std::string_view symbols[] = {"circle", "square", "triangle", "diamond"};
  return fmt::format("{}{} {:g}{}", symbols[static_cast<std::size_t>(mark.symbol)],
                     written(mark.at), mark.size, written(mark.pen, mark.fill));
}

/// One part a line.
inline std::string written(const Scene& scene) {
  std::string text = fmt::format("{:g} x {:g}: {} | {}\n", scene.width, scene.height, scene.title,
                                 scene.description);
  for (const Part& part : scene.parts)
    text += std::visit([](const auto& one) { return written(one); }, part) + '\n';
  return text;
}

/// "'a' and 'b'" for the first texts that meet, "'a'" for one that is not all on the page; "" else.
inline std::string clash_in(const Scene& scene, const TextWidth& width_of) {
  std::vector<std::pair<std::string, std::vector<Box>>> before;
  for (const Part& part : scene.parts)
    if (const Text* text = std::get_if<Text>(&part)) {
      const std::vector<Box> boxes = boxes_of(*text, width_of);
      for (const Box& box : boxes) {
        if (box.left < 0 || box.top < 0 || box.right > scene.width || box.bottom > scene.height)
          return "'" + text->text + "'";
        for (const auto& [other, taken] : before)
          for (const Box& one : taken)
            if (box.meets(one))
              return "'" + other + "' and '" + text->text + "'";
      }
      before.emplace_back(text->text, boxes);
    }
  return "";
}

} // namespace gridsmith::test
