// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/results/plots/roofline_plot.hpp"

#include "gridsmith/base/error.hpp"
#include "gridsmith/base/json_fields.hpp"
#include "gridsmith/base/json_text.hpp"
#include "gridsmith/base/number_text.hpp"
#include "gridsmith/results/explanation/explanation.hpp"
#include "gridsmith/results/plots/heading.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <set>

namespace gridsmith {
namespace {

constexpr double chart_height = 265; // of the picture, of what is between head and foot
constexpr double mark_size = 7, cloud_size = 3;
constexpr Colour cloud{150, 150, 150, 0.5};

/// How a level of the memory is drawn.
struct Level {
  std::string_view name;
  Symbol symbol;
  Colour colour;
};

constexpr std::array<Level, 3> levels{{{"DRAM", Symbol::circle, palette[0]},
                                       {"L2", Symbol::square, palette[2]},
                                       {"shared", Symbol::triangle, palette[1]}}};

/// One launch: its time, and where it stands.
struct Stand {
  const Measurement* measurement;
  double time_ms;
  Roofline roofline;
};

struct Stands {
  std::vector<Stand> all;
  const Stand *best = nullptr, *standard = nullptr; ///< of all
};

Stands stands_of(const Recording& recording, const PointedOut& rows) {
  if (!rows.best)
    throw InputError(title_of(recording) + ": no configuration is correct and has a time");
  Stands stands;
  for (const Measurement& one : recording.measurements)
    if (const auto time = cost_ms(one))
      stands.all.push_back({&one, *time, explain(recording, one).roofline});
  for (const Stand& one : stands.all) {
    stands.best = one.measurement == rows.best ? &one : stands.best;
    stands.standard = one.measurement == rows.standard ? &one : stands.standard;
  }
  if (stands.best->roofline.ceilings.empty())
    throw InputError(
        title_of(recording) +
        ": neither a ceiling of the device nor a counter of the best is known; 'gridsmith "
        "devices --measure' measures ceilings, 'gridsmith tune' counts");
  return stands;
}

std::string roof_text(const Ceiling& roof) {
  const std::string unit(roof.unit.substr(1)); // "GB/s", "GFLOP/s"
  return fmt::format("{} {}, {}", roof.name, rate_text(roof.peak, unit),
                     roof.measured ? "measured" : "data sheet");
}

std::string finding_of(const Stands& stands) {
  std::string text = fmt::format("Best {}", time_text(stands.best->time_ms));
  if (stands.standard && stands.standard != stands.best)
    text += fmt::format(", {} × as fast as the default ({})",
                        three_digits(stands.standard->time_ms / stands.best->time_ms),
                        time_text(stands.standard->time_ms));
  const Ceiling& nearest = *stands.best->roofline.nearest();
  return text + fmt::format("; {:.0f} % of the nearest ceiling, {}.", 100 * nearest.fraction,
                            nearest.name);
}

Heading heading_of(const Recording& recording, const Stands& stands) {
  return {title_of(recording), finding_of(stands),
          caption_of(recording) +
              ". Amounts are counted where counters tell, else of the work model."};
}

void draw_arrow(Chart& chart, Point from, Point to, const Colour& colour) {
  const double length = std::hypot(to.x - from.x, to.y - from.y);
  const double gap = mark_size / 2 + 1.5;
  if (length < 2 * gap + 3)
    return;
  const double x = (to.x - from.x) / length, y = (to.y - from.y) / length;
  const Point begin{from.x + gap * x, from.y + gap * y}, tip{to.x - gap * x, to.y - gap * y};
  chart.add(Shape{.places = {begin, tip}, .pen = Pen{colour, 1.4}});
  constexpr double head = 4.5;
  chart.add(
      Shape{.places = {tip,
                       {tip.x - head * x - 0.5 * head * y, tip.y - head * y + 0.5 * head * x},
                       {tip.x - head * x + 0.5 * head * y, tip.y - head * y - 0.5 * head * x}},
            .closed = true,
            .fill = colour});
}

/// Labels stay off the line.
void keep_off(Chart& chart, Point from, Point to) {
  constexpr double pace = 5;
  const int pieces = 1 + static_cast<int>(std::hypot(to.x - from.x, to.y - from.y) / pace);
  for (int i = 0; i <= pieces; ++i) {
    const double x = from.x + (to.x - from.x) * i / pieces,
                 y = from.y + (to.y - from.y) * i / pieces;
    chart.keep_free({x - pace / 2, y - pace / 2, x + pace / 2, y + pace / 2});
  }
}

void draw_mark(Chart& chart, const Level& level, Point at, bool filled) {
  chart.add(
      Mark{level.symbol, at, mark_size, Pen{level.colour, 1.5}, filled ? level.colour : paper});
  const double half = mark_size / 2 + 1;
  chart.keep_free({at.x - half, at.y - half, at.x + half, at.y + half});
}

/// Hollow for the default, filled for the best, and the path between.
void draw_path(Chart& chart, const Level& level, const std::optional<Point>& from, Point to) {
  if (from) {
    draw_arrow(chart, *from, to, level.colour);
    keep_off(chart, *from, to);
    draw_mark(chart, level, *from, false);
  }
  draw_mark(chart, level, to, true);
}

/// Each place that is not drawn yet, to half a point: of 10^5 launches those that are seen.
class Cloud {
public:
  void draw(Chart& chart, Symbol symbol, Point at) {
    if (drawn_.emplace(std::lround(2 * at.x), std::lround(2 * at.y)).second)
      chart.add(Mark{symbol, at, cloud_size, {}, cloud});
  }

private:
  std::set<std::pair<long, long>> drawn_;
};

void name_ends(Chart& chart, const Stands& stands, const std::optional<Point>& from, Point to) {
  chart.label(
      {.text = "best, " + time_text(stands.best->time_ms), .at = {}, .bold = true, .halo = true},
      to, mark_size);
  if (from)
    chart.label({.text = "default, " + time_text(stands.standard->time_ms), .at = {}, .halo = true},
                *from, mark_size);
}

// ---- with FLOPs: the roofline

struct Plane {
  Axis across, up; ///< FLOP per byte, GFLOP/s

  Point at(double intensity, double gflops) const { return {across.at(intensity), up.at(gflops)}; }
};

std::optional<Point> place_of(const Stand& stand, const Level& level, const Plane& plane) {
  const Ceiling *flat = stand.roofline.find("FP32"), *slope = stand.roofline.find(level.name);
  if (!flat || !slope || !slope->flop_per_byte || !(flat->achieved > 0))
    return std::nullopt;
  return plane.at(*slope->flop_per_byte, flat->achieved);
}

struct Range {
  double low = 1e300, high = 0;

  void add(double value) {
    if (value > 0 && std::isfinite(value)) {
      low = std::min(low, value);
      high = std::max(high, value);
    }
  }
};

/// All launches, and where the best one's roofs meet the flat one.
std::pair<Range, Range> ranges_of(const Stands& stands) {
  Range across, up;
  for (const Stand& stand : stands.all)
    if (const Ceiling* flat = stand.roofline.find("FP32")) {
      up.add(flat->achieved);
      up.add(flat->peak);
      for (const Ceiling& one : stand.roofline.ceilings)
        if (one.flop_per_byte) {
          across.add(*one.flop_per_byte);
          across.add(flat->peak / one.peak);
        }
    }
  return {across, up};
}

/// A roof of the best, from the left edge or the foot up to the flat one.
struct Slope {
  Level level;
  const Ceiling* roof;
  Point from, to;
};

std::vector<Slope> slopes_of(const Stand& best, const Plane& plane) {
  const double flat = best.roofline.find("FP32")->peak;
  std::vector<Slope> slopes;
  for (const Level& level : levels)
    if (const Ceiling* roof = best.roofline.find(level.name); roof && roof->flop_per_byte) {
      const double first = std::max(plane.across.low(), plane.up.low() / roof->peak);
      slopes.push_back(
          {level, roof, plane.at(first, first * roof->peak), plane.at(flat / roof->peak, flat)});
    }
  return slopes;
}

void draw_roofs(Chart& chart, const std::vector<Slope>& slopes, const Ceiling& flat,
                const Plane& plane) {
  Point from = plane.at(plane.across.high(), flat.peak);
  const Point to = from;
  for (const Slope& one : slopes) {
    chart.add(Shape{.places = {one.from, one.to}, .pen = Pen{one.level.colour, 1.3}});
    from.x = std::min(from.x, one.to.x);
  }
  chart.add(Shape{.places = {from, to}, .pen = Pen{ink, 1.3}});
  chart.add(Text{.text = roof_text(flat),
                 .at = {to.x, to.y - 4},
                 .size = small_size,
                 .anchor = Anchor::end,
                 .halo = true});
  keep_off(chart, from, to);
}

/// Along the line, where that is free.
void name_slope(Chart& chart, const Slope& slope) {
  const double angle = std::atan2(slope.to.y - slope.from.y, slope.to.x - slope.from.x);
  const double length = std::hypot(slope.to.x - slope.from.x, slope.to.y - slope.from.y);
  Text name{.text = roof_text(*slope.roof), .at = {}, .size = small_size, .halo = true};
  name.angle = angle;
  const double most = length - chart.width_of(name.text, name.size) - 6;
  for (const double share : {0.5, 0.25, 0.75, 0.0, 1.0}) {
    const double along = 6 + std::max(0.0, most) * share;
    const Point start{slope.from.x + along * std::cos(angle),
                      slope.from.y + along * std::sin(angle)};
    name.at = {start.x + 5 * std::sin(angle), start.y - 5 * std::cos(angle)};
    if (share < 1 && !chart.is_free(name))
      continue;
    chart.add(name);
    return;
  }
}

/// Which symbol counts the bytes of which level, above the area: within it every symbol is a launch.
void draw_legend(Chart& chart, const std::vector<Slope>& slopes, const Box& area) {
  if (slopes.size() < 2)
    return;
  double right = area.right;
  const double y = area.top - 4;
  for (auto slope = slopes.rbegin(); slope != slopes.rend(); ++slope) {
    const std::string name(slope->level.name);
    right -= chart.width_of(name, small_size);
    chart.add(Text{.text = name, .at = {right, y}, .size = small_size});
    chart.add(
        Mark{slope->level.symbol, {right - 6, y - 0.35 * small_size}, 5, {}, slope->level.colour});
    right -= 18;
  }
}

Scene plane_plot(const Recording& recording, const Stands& stands, const TextWidth& width_of) {
  Chart chart(picture_width, width_of);
  const Box between = chart.head_and_foot(heading_of(recording, stands), chart_height);
  auto [intensity, rate] = ranges_of(stands);
  const double low = decade_below(rate.low), high = 2 * rate.high;
  const Axis sizing(Scale::logarithmic, low, high, 1, 0);
  const Box area = chart.area_in(between, sizing.ticks(), 4);
  const Plane plane{
      Axis(Scale::logarithmic, intensity.low / 3, intensity.high * 4, area.left, area.right),
      Axis(Scale::logarithmic, low, high, area.bottom, area.top)};
  chart.draw_across(plane.across, area, "arithmetic intensity, FLOP/B");
  chart.draw_up(plane.up, area, "GFLOP/s");
  const std::vector<Slope> slopes = slopes_of(*stands.best, plane);
  draw_roofs(chart, slopes, *stands.best->roofline.find("FP32"), plane);
  draw_legend(chart, slopes, area);
  Cloud others;
  for (const Stand& stand : stands.all)
    if (const auto at = place_of(stand, levels.front(), plane))
      others.draw(chart, levels.front().symbol, *at);
  std::optional<std::pair<std::optional<Point>, Point>> ends; // of the first path
  for (const Level& level : levels)
    if (const auto to = place_of(*stands.best, level, plane)) {
      const auto from = stands.standard && stands.standard != stands.best
                            ? place_of(*stands.standard, level, plane)
                            : std::nullopt;
      draw_path(chart, level, from, *to);
      if (!ends)
        ends = {from, *to};
    }
  for (const Slope& one : slopes)
    name_slope(chart, one);
  for (const Slope& one : slopes)
    keep_off(chart, one.from, one.to);
  if (ends)
    name_ends(chart, stands, ends->first, ends->second);
  return std::move(chart).finished();
}

// ---- without: a row for each level

double rate_at(const Stand& stand, std::string_view level) {
  const Ceiling* found = stand.roofline.find(level);
  return found ? found->achieved : 0;
}

void draw_row(Chart& chart, const Stands& stands, const Level& level, const Axis& across,
              const Box& row) {
  const double y = (row.top + row.bottom) / 2 + 6;
  const Ceiling& roof = *stands.best->roofline.find(level.name);
  chart.add(Text{.text = std::string(level.name),
                 .at = {row.left - 8, y + 0.35 * text_size},
                 .anchor = Anchor::end,
                 .bold = true});
  chart.add(Shape{.places = {{row.left, y}, {across.at(roof.peak), y}}, .pen = Pen{pale, 0.8}});
  const double wall = across.at(roof.peak);
  chart.add(
      Shape{.places = {{wall, row.top + 14}, {wall, row.bottom}}, .pen = Pen{level.colour, 2.5}});
  chart.keep_free({wall - 2, row.top + 14, wall + 2, row.bottom});
  Cloud others;
  for (const Stand& stand : stands.all)
    if (const double rate = rate_at(stand, level.name); rate > 0)
      others.draw(chart, level.symbol, {across.at(rate), y});
  const Point to{across.at(roof.achieved), y};
  const double before =
      stands.standard && stands.standard != stands.best ? rate_at(*stands.standard, level.name) : 0;
  const auto from = before > 0 ? std::optional(Point{across.at(before), y}) : std::nullopt;
  draw_path(chart, level, from, to);
  chart.add(Text{.text = roof_text(roof),
                 .at = {wall + 3, row.top + 11},
                 .size = small_size,
                 .anchor = Anchor::end,
                 .colour = ink});
  const auto percent = [&](const char* name, double rate) {
    return fmt::format("{} {}, {:.0f} %", name, rate_text(rate, "B/s"), 100 * rate / roof.peak);
  };
  chart.label({.text = percent("best", roof.achieved), .at = {}, .bold = true, .halo = true}, to,
              mark_size, Around::above);
  if (from)
    chart.label({.text = percent("default", before), .at = {}, .halo = true}, *from, mark_size,
                Around::below);
}

Scene rows_plot(const Recording& recording, const Stands& stands, const TextWidth& width_of) {
  std::vector<Level> shown;
  Range rate;
  for (const Level& level : levels)
    if (const Ceiling* roof = stands.best->roofline.find(level.name); roof && roof->achieved > 0) {
      shown.push_back(level);
      rate.add(roof->peak);
      for (const Stand& stand : stands.all)
        rate.add(rate_at(stand, level.name));
    }
  if (shown.empty())
    throw InputError(title_of(recording) + ": what it moved was not counted");
  constexpr double level_height = 64, below = 38;
  const double rows = static_cast<double>(shown.size());
  Chart chart(picture_width, width_of);
  const Box between =
      chart.head_and_foot(heading_of(recording, stands), rows * level_height + below);
  const Box area{between.left + 48, between.top + 4, between.right - 12,
                 between.bottom - below + 4};
  const Axis across(Scale::logarithmic, rate.low / 1.2, rate.high * 1.05, area.left, area.right);
  chart.draw_across(across, area, "GB/s");
  for (std::size_t i = 0; i < shown.size(); ++i) {
    const double each = (area.bottom - area.top) / rows;
    const double top = area.top + each * static_cast<double>(i);
    draw_row(chart, stands, shown[i], across, {area.left, top, area.right, top + each});
  }
  return std::move(chart).finished();
}

} // namespace

Scene roofline_plot(const Recording& recording, const PointedOut& rows, const TextWidth& width_of) {
  const Stands stands = stands_of(recording, rows);
  const Ceiling* flat = stands.best->roofline.find("FP32");
  const auto slanted = [](const Ceiling& one) {
    return one.flop_per_byte && *one.flop_per_byte > 0;
  };
  const auto& ceilings = stands.best->roofline.ceilings;
  const bool plane =
      flat && flat->achieved > 0 && std::any_of(ceilings.begin(), ceilings.end(), slanted);
  return plane ? plane_plot(recording, stands, width_of) : rows_plot(recording, stands, width_of);
}

std::string roofline_json(const Recording& recording, const PointedOut& rows) {
  const Stands stands = stands_of(recording, rows);
  nlohmann::ordered_json json{{"of", title_of(recording)}, {"best", nullptr}, {"default", nullptr}};
  auto& all = json["configurations"] = nlohmann::ordered_json::array();
  for (const Stand& one : stands.all) {
    if (&one == stands.best)
      json["best"] = all.size();
    if (&one == stands.standard)
      json["default"] = all.size();
    nlohmann::ordered_json row;
    row["configuration"] = object_of(one.measurement->configuration);
    row["time_ms"] = one.time_ms;
    auto& limits = row["limits"] = nlohmann::ordered_json::array();
    for (const Ceiling& limit : one.roofline.ceilings) {
      limits.push_back({{"name", limit.name},
                        {"unit", limit.unit},
                        {"peak", limit.peak},
                        {"measured", limit.measured},
                        {"achieved", limit.achieved}});
      if (limit.flop_per_byte)
        limits.back()["flop_per_byte"] = *limit.flop_per_byte;
    }
    all.push_back(std::move(row));
  }
  return json_text(json, 2);
}

} // namespace gridsmith
