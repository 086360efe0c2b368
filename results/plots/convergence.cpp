// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/results/plots/convergence.hpp"

#include "gridsmith/base/json_text.hpp"
#include "gridsmith/base/number_text.hpp"
#include "gridsmith/results/measurement/objective.hpp"
#include "gridsmith/results/plots/heading.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

namespace gridsmith {
namespace {

constexpr double stairs_height = 250; // of the picture, of what is between head and foot
constexpr double near = 1.01;         // of the optimum: what the labels tell
constexpr double least_floor = 0.01, most_floor = 1;           // percent
constexpr double label_gap = 2.4 * text_size, label_left = 16; // for its symbol

constexpr std::array<Symbol, 4> symbols{Symbol::circle, Symbol::square, Symbol::triangle,
                                        Symbol::diamond};

double excess(double ratio) {
  return 100 * (ratio - 1);
}

/// Where an excess lies: on the axis, or at the line of 0 below it.
struct Heights {
  Axis axis;
  double zero;

  double of(double ratio) const { return excess(ratio) > 0 ? axis.at(excess(ratio)) : zero; }
};

/// From the power of ten below what is not 0 to the largest.
std::pair<double, double> range_of(const std::vector<Course>& courses) {
  double least = most_floor, most = 0;
  for (const Course& course : courses)
    for (const double ratio : course.ratio)
      if (const double one = excess(ratio); one > 0 && std::isfinite(one)) {
        least = std::min(least, one);
        most = std::max(most, one);
      }
  const double low = std::max(least_floor, decade_below(least));
  return {low, std::max(10 * low, 1.15 * most)};
}

/// The line of a stair: what was found stays found until something better is.
std::vector<Point> stair(const std::vector<double>& ratios, const Axis& across,
                         const Heights& heights) {
  std::vector<Point> places;
  double last = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < ratios.size(); ++i) {
    const double x = across.at(static_cast<double>(i + 1));
    if (ratios[i] == last || !std::isfinite(ratios[i]))
      continue;
    if (!places.empty())
      places.push_back({x, places.back().y});
    places.push_back({x, heights.of(ratios[i])});
    last = ratios[i];
  }
  if (!places.empty())
    places.push_back({across.at(static_cast<double>(ratios.size())), places.back().y});
  return places;
}

/// The evaluation after which it was near the optimum; that after its last where it never was.
std::size_t reach_of(const Course& course) {
  const auto found = std::find_if(course.ratio.begin(), course.ratio.end(),
                                  [](double ratio) { return ratio <= near; });
  return static_cast<std::size_t>(found - course.ratio.begin()) + 1;
}

std::string reach_text(const Course& course) {
  if (const std::size_t after = reach_of(course); after <= course.ratio.size())
    return fmt::format("within 1 % after {}", after);
  const double last = course.ratio.back();
  return std::isfinite(last) ? fmt::format("{} % above at its end", three_digits(excess(last)))
                             : "nothing correct";
}

void draw_band(Chart& chart, const Course& course, const Colour& colour, const Axis& across,
               const Heights& heights) {
  std::vector<Point> places = stair(course.high, across, heights);
  const std::vector<Point> lower = stair(course.low, across, heights);
  places.insert(places.end(), lower.rbegin(), lower.rend());
  if (!lower.empty())
    chart.add(Shape{.places = std::move(places), .closed = true, .fill = colour.faded(0.14)});
}

/// Its line, with a symbol of its own where it came within 1 %, else at its end; where it ends.
Point draw_course(Chart& chart, const Course& course, std::size_t number, const Axis& across,
                  const Heights& heights) {
  const Colour& colour = palette[number];
  std::vector<Point> places = stair(course.ratio, across, heights);
  if (places.empty())
    return {across.to(), heights.axis.to()};
  const Point end = places.back();
  const std::vector<std::vector<double>> dashes = {{}, {5, 2}, {1.5, 1.5}};
  chart.add(Shape{.places = std::move(places), .pen = Pen{colour, 1.6, dashes[number % 3]}});
  const std::size_t reach = std::min(reach_of(course), course.ratio.size());
  chart.add(Mark{symbols[number % symbols.size()],
                 {across.at(static_cast<double>(reach)), heights.of(course.ratio[reach - 1])},
                 7,
                 Pen{paper, 0.8},
                 colour});
  return end;
}

/// Names beside the ends of the lines, with the same symbol.
void draw_names(Chart& chart, const std::vector<Course>& courses, const std::vector<Point>& ends,
                const Box& area) {
  std::vector<double> wanted;
  for (const Point& end : ends)
    wanted.push_back(end.y);
  const std::vector<double> heights =
      spread(wanted, label_gap, area.top + text_size, area.bottom - text_size);
  for (std::size_t i = 0; i < courses.size(); ++i) {
    const double left = area.right + label_left, y = heights[i];
    chart.add(Shape{.places = {{ends[i].x + 1, ends[i].y}, {left - 10, y}},
                    .pen = Pen{palette[i].faded(0.6), 0.6}});
    chart.add(Mark{symbols[i % symbols.size()], {left - 6, y}, 6, {}, palette[i]});
    chart.add(Text{.text = courses[i].name, .at = {left, y - 0.05 * text_size}, .bold = true});
    chart.add(Text{.text = reach_text(courses[i]),
                   .at = {left, y + 0.95 * text_size},
                   .size = small_size,
                   .colour = grey});
  }
}

double widest_name(const Chart& chart, const std::vector<Course>& courses) {
  double widest = 0;
  for (const Course& one : courses)
    widest = std::max({widest, 1.1 * chart.width_of(one.name), // bold
                       chart.width_of(reach_text(one), small_size)});
  return widest;
}

} // namespace

Course course_of(std::string name, const Recording& recording, double optimum_ms) {
  std::vector<const Measurement*> rows;
  for (const Measurement& one : recording.measurements)
    rows.push_back(&one);
  std::stable_sort(rows.begin(), rows.end(),
                   [](const Measurement* a, const Measurement* b) { return a->when < b->when; });
  Course course{std::move(name), {}};
  double best = std::numeric_limits<double>::infinity();
  for (const Measurement* row : rows) {
    best = std::min(best, cost_ms(*row).value_or(best));
    course.ratio.push_back(best / optimum_ms);
  }
  return course;
}

Scene convergence_plot(const std::vector<Course>& courses, const Heading& heading,
                       const TextWidth& width_of) {
  Chart chart(picture_width, width_of);
  const Box between = chart.head_and_foot(heading, stairs_height);
  const auto [low, high] = range_of(courses);
  const Axis sizing(Scale::logarithmic, low, high, 1, 0);
  const Box area =
      chart.area_in(between, sizing.ticks(), label_left + 4 + widest_name(chart, courses));
  Box upper = area;
  upper.bottom -= 2.4 * text_size;
  const Heights heights{Axis(Scale::logarithmic, low, high, upper.bottom, upper.top),
                        area.bottom - text_size};
  std::size_t evaluations = 2; // an axis needs an extent
  for (const Course& one : courses)
    evaluations = std::max(evaluations, one.ratio.size());
  const Axis across(Scale::linear, 0, static_cast<double>(evaluations), area.left, area.right);
  chart.draw_across(across, area, "evaluations");
  chart.draw_up(heights.axis, upper, "best so far, % above the optimum");
  chart.add(Shape{.places = {{area.left, heights.zero}, {area.right, heights.zero}},
                  .pen = Pen{pale, 0.5}});
  chart.add(Text{.text = "0",
                 .at = {area.left - 6.5, heights.zero + 0.35 * text_size},
                 .anchor = Anchor::end});
  std::vector<Point> ends;
  for (std::size_t i = 0; i < courses.size(); ++i)
    draw_band(chart, courses[i], palette[i], across, heights);
  for (std::size_t i = 0; i < courses.size(); ++i)
    ends.push_back(draw_course(chart, courses[i], i, across, heights));
  draw_names(chart, courses, ends, area);
  return std::move(chart).finished();
}

std::string convergence_json(const std::vector<Course>& courses) {
  const auto list = [](const std::vector<double>& ratios) {
    auto json = nlohmann::ordered_json::array();
    for (const double one : ratios)
      json.push_back(std::isfinite(one) ? nlohmann::ordered_json(one) : nullptr);
    return json;
  };
  auto all = nlohmann::ordered_json::array();
  for (const Course& one : courses) {
    nlohmann::ordered_json json{{"name", one.name}, {"ratio", list(one.ratio)}};
    if (!one.low.empty()) {
      json["low"] = list(one.low);
      json["high"] = list(one.high);
    }
    const std::size_t after = reach_of(one);
    json["within_1_percent_after"] =
        after <= one.ratio.size() ? nlohmann::ordered_json(after) : nullptr;
    all.push_back(std::move(json));
  }
  return json_text(nlohmann::ordered_json{{"courses", std::move(all)}}, 2);
}

} // namespace gridsmith
