// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/results/drawing/chart.hpp"

#include "gridsmith/base/safe_text.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

namespace gridsmith {
namespace {

constexpr double margin = 10, line_height = 1.3; // of the size
constexpr double title_size = 11;
constexpr double tick_length = 3.5, beside_tick = 3;

} // namespace

Chart::Chart(double width, TextWidth width_of) : width_of_(std::move(width_of)) {
  scene_.width = width;
}

double Chart::width_of(const std::string& text, double size) const {
  return width_of_({.text = text, .at = {}, .size = size});
}

void Chart::add(Part part) {
  if (Text* text = std::get_if<Text>(&part)) {
    text->text = printable(text->text);
    for (const Box& box : boxes_of(*text, width_of_))
      keep_free(box);
  }
  scene_.parts.push_back(std::move(part));
}

bool Chart::is_free(const Text& text) const {
  const Box page{2, 2, scene_.width - 2, scene_.height - 2};
  const auto boxes = boxes_of(text, width_of_);
  return std::none_of(boxes.begin(), boxes.end(), [&](const Box& box) {
    return box.left < page.left || box.right > page.right || box.top < page.top ||
           box.bottom > page.bottom ||
           std::any_of(taken_.begin(), taken_.end(),
                       [&](const Box& other) { return box.meets(other); });
  });
}

bool Chart::label(Text text, Point at, double distance, Around first) {
  struct Side {
    Anchor anchor;
    double x, y; ///< of the distance; y of the size, for the base line, is added
    double base;
  };

  constexpr std::array<Side, 8> sides{{{Anchor::start, 1, 0, 0.35},
                                       {Anchor::end, -1, 0, 0.35},
                                       {Anchor::middle, 0, -1, 0},
                                       {Anchor::middle, 0, 1, 0.8},
                                       {Anchor::start, 0.7, -0.7, 0},
                                       {Anchor::start, 0.7, 0.7, 0.8},
                                       {Anchor::end, -0.7, -0.7, 0},
                                       {Anchor::end, -0.7, 0.7, 0.8}}};
  constexpr std::array<std::size_t, 3> first_side{0, 2, 3};
  text.text = printable(text.text);
  for (const double far : {1.0, 2.0, 3.5})
    for (std::size_t i = 0; i < sides.size(); ++i) {
      const Side& side = sides[(first_side[static_cast<std::size_t>(first)] + i) % sides.size()];
      text.anchor = side.anchor;
      text.at = {at.x + side.x * distance * far,
                 at.y + side.y * distance * far + side.base * text.size};
      if (is_free(text)) {
        add(text);
        return true;
      }
    }
  return false;
}

std::vector<std::string> Chart::broken(const std::string& text, double size, bool bold) const {
  const double most = scene_.width - 2 * margin;
  std::vector<std::string> lines{""};
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find(' ', at), text.size());
    const std::string word = text.substr(at, end - at);
    const std::string longer = lines.back().empty() ? word : lines.back() + ' ' + word;
    if (!lines.back().empty() &&
        width_of_({.text = longer, .at = {}, .size = size, .bold = bold}) > most)
      lines.push_back(word);
    else
      lines.back() = longer;
    at = end + 1;
  }
  return lines;
}

double Chart::write_lines(const std::string& text, double y, Text style) {
  for (const std::string& line : broken(printable(text), style.size, style.bold)) {
    style.text = line;
    style.at = {margin, y};
    add(style);
    y += line_height * style.size;
  }
  return y;
}

Box Chart::head_and_foot(const Heading& heading, double apart) {
  scene_.title = printable(heading.title);
  scene_.description = printable(heading.finding + " " + heading.caption);
  Text style{.text = "", .at = {}, .size = title_size, .bold = true};
  double top = write_lines(heading.title, margin + 0.8 * title_size, style);
  style.size = text_size;
  style.bold = false;
  top = heading.finding.empty() ? top : write_lines(heading.finding, top, style);
  style.size = small_size;
  style.colour = grey;
  const double bottom = top + apart;
  const double next = write_lines(heading.caption, bottom + line_height * small_size, style);
  scene_.height = std::ceil(next - line_height * small_size + margin);
  return {margin, top, scene_.width - margin, bottom};
}

Box Chart::area_in(const Box& between, const std::vector<Tick>& up, double right) const {
  double widest = 0;
  for (const Tick& one : up)
    widest = std::max(widest, width_of(one.label));
  return {between.left + line_height * text_size + widest + tick_length + beside_tick + 4,
          between.top + 4, between.right - right,
          between.bottom - 2 * line_height * text_size - tick_length - beside_tick};
}

void Chart::draw_across(const Axis& axis, const Box& area, const std::string& title) {
  double last = -1e9; // where the previous label ends
  for (const Tick& tick : axis.ticks(6)) {
    const double x = axis.at(tick.value);
    add(Shape{
        .places = {{x, area.bottom}, {x, area.bottom + (tick.label.empty() ? 2 : tick_length)}},
        .pen = Pen{ink, 0.7}});
    const double half = width_of(tick.label) / 2;
    if (tick.label.empty() || x - half < last + text_size / 2)
      continue;
    last = x + half;
    add(Shape{.places = {{x, area.top}, {x, area.bottom}}, .pen = Pen{pale, 0.5}});
    add(Text{.text = tick.label,
             .at = {x, area.bottom + tick_length + beside_tick + 0.75 * text_size},
             .anchor = Anchor::middle});
  }
  add(Shape{.places = {{area.left, area.bottom}, {area.right, area.bottom}}, .pen = Pen{ink, 0.8}});
  add(Text{.text = title,
           .at = {(area.left + area.right) / 2,
                  area.bottom + tick_length + beside_tick + (0.85 + line_height) * text_size},
           .anchor = Anchor::middle});
}

void Chart::draw_up(const Axis& axis, const Box& area, const std::string& title) {
  double last = 1e9;
  for (const Tick& tick : axis.ticks(5)) {
    const double y = axis.at(tick.value);
    add(Shape{.places = {{area.left - (tick.label.empty() ? 2 : tick_length), y}, {area.left, y}},
              .pen = Pen{ink, 0.7}});
    if (tick.label.empty() || y > last - line_height * text_size)
      continue;
    last = y;
    add(Shape{.places = {{area.left, y}, {area.right, y}}, .pen = Pen{pale, 0.5}});
    add(Text{.text = tick.label,
             .at = {area.left - tick_length - beside_tick, y + 0.35 * text_size},
             .anchor = Anchor::end});
  }
  add(Shape{.places = {{area.left, area.top}, {area.left, area.bottom}}, .pen = Pen{ink, 0.8}});
  add(Text{.text = title,
           .at = {margin + 0.8 * text_size, (area.top + area.bottom) / 2},
           .anchor = Anchor::middle,
           .angle = -std::numbers::pi / 2});
}

std::vector<double> spread(std::vector<double> wanted, double gap, double low, double high) {
  std::vector<std::size_t> order(wanted.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return wanted[a] < wanted[b]; });

  struct Block { // labels that touch: they stand around the mean of what they want
    double sum = 0;
    std::size_t first = 0, count = 0;

    double start(double apart, double least, double most) const {
      const auto size = static_cast<double>(count);
      const double mean = sum / size - apart * (size - 1) / 2;
      return std::max(least, std::min(mean, most - apart * (size - 1)));
    }
  };

  std::vector<Block> blocks;
  const auto ends = [&](const Block& one) {
    return one.start(gap, low, high) + gap * static_cast<double>(one.count);
  };
  for (std::size_t i = 0; i < order.size(); ++i) {
    blocks.push_back({wanted[order[i]], i, 1});
    while (blocks.size() > 1 &&
           ends(blocks[blocks.size() - 2]) > blocks.back().start(gap, low, high)) {
      blocks[blocks.size() - 2].sum += blocks.back().sum;
      blocks[blocks.size() - 2].count += blocks.back().count;
      blocks.pop_back();
    }
  }
  for (const Block& block : blocks)
    for (std::size_t i = 0; i < block.count; ++i)
      wanted[order[block.first + i]] = block.start(gap, low, high) + gap * static_cast<double>(i);
  return wanted;
}

} // namespace gridsmith
