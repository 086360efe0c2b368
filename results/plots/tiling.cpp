// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/results/plots/tiling.hpp"

#include "gridsmith/base/error.hpp"
#include "gridsmith/base/json_fields.hpp"
#include "gridsmith/base/json_text.hpp"
#include "gridsmith/base/named.hpp"
#include "gridsmith/base/number_text.hpp"
#include "gridsmith/base/statistics.hpp"
#include "gridsmith/results/influence/influence.hpp"
#include "gridsmith/results/plots/heading.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>

namespace gridsmith {
namespace {

constexpr double names_height = 3.2 * text_size;
constexpr double highest_row = 34, least_square = 6;
constexpr double bar_width = 10, beside_bar = 62;

/// What became of one pair of values.
struct Square {
  std::vector<double> times_ms; ///< of what was correct
  std::size_t failed = 0;
  std::optional<double> best_ms = {}; ///< of the best of all, where it is here

  std::optional<double> time(CellValue wanted) {
    if (best_ms && wanted == CellValue::best) // one that is tied with it may have a lower time
      return best_ms;
    if (times_ms.empty())
      return std::nullopt;
    std::sort(times_ms.begin(), times_ms.end());
    return wanted == CellValue::best ? times_ms.front() : median(times_ms);
  }
};

using Squares = std::map<std::pair<std::size_t, std::size_t>, Square>;

struct Side {
  std::string name;
  std::vector<Value> values;

  std::size_t place(const Value& value) const {
    const auto found = std::find_if(values.begin(), values.end(),
                                    [&](const Value& one) { return same_value(one, value); });
    return static_cast<std::size_t>(found - values.begin());
  }
};

/// Numbers ascending; what is no number as declared.
Side side_of(const Parameter& parameter) {
  Side side{parameter.name, parameter.values};
  if (std::none_of(side.values.begin(), side.values.end(),
                   [](const Value& one) { return std::isnan(to_number(one)); }))
    std::stable_sort(side.values.begin(), side.values.end(),
                     [](const Value& a, const Value& b) { return to_number(a) < to_number(b); });
  return side;
}

const Parameter& parameter_of(const Recording& recording, const std::string& name) {
  return entry_named(name, recording.parameters, "parameter");
}

/// Those not named are the ones that move the time most, else the first that vary.
Tiling completed(const Recording& recording, Tiling wanted) {
  std::vector<std::string> names;
  for (const ParameterEffect& effect : influence(recording).effects)
    if (effect.quantity == time_quantity().name)
      names.push_back(effect.parameter);
  for (const Parameter& one : recording.parameters)
    if (one.values.size() > 1)
      names.push_back(one.name);
  for (std::string* side : {&wanted.across, &wanted.up})
    for (const std::string& name : names)
      if (side->empty() && name != wanted.across && name != wanted.up)
        *side = name;
  if (wanted.across.empty() || wanted.up.empty())
    throw InputError(title_of(recording) + ": a heat map needs two parameters with several values");
  if (wanted.across == wanted.up)
    throw InputError(fmt::format("a heat map needs two parameters, not '{}' twice", wanted.up));
  return wanted;
}

Squares squares_of(const Recording& recording, const Side& across, const Side& up,
                   const Measurement* best) {
  Squares squares;
  for (const Measurement& one : recording.measurements) {
    const Value *x = find_value(one.configuration, across.name),
                *y = find_value(one.configuration, up.name);
    if (!x || !y)
      continue;
    Square& square = squares[{across.place(*x), up.place(*y)}];
    if (&one == best)
      square.best_ms = cost_ms(one);
    if (const auto time = cost_ms(one))
      square.times_ms.push_back(*time);
    else if (!one.correct())
      ++square.failed;
  }
  return squares;
}

void hatch(Chart& chart, const Box& box) {
  constexpr double apart = 4;
  const double high = box.bottom - box.top, wide = box.right - box.left;
  for (double from = apart / 2; from < wide + high; from += apart) {
    const double right = std::min(from, wide), left = std::max(0.0, from - high);
    chart.add(Shape{.places = {{box.left + left, box.top + from - left},
                               {box.left + right, box.top + from - right}},
                    .pen = Pen{grey.faded(0.5), 0.5}});
  }
}

void outline(Chart& chart, const Box& box, const std::optional<Pen>& pen,
             const std::optional<Colour>& fill) {
  chart.add(Shape{.places = {{box.left, box.top},
                             {box.right, box.top},
                             {box.right, box.bottom},
                             {box.left, box.bottom}},
                  .closed = true,
                  .pen = pen,
                  .fill = fill});
}

struct TimeUnit {
  double ms;
  const char* name;
};

/// In which the least is read best.
TimeUnit unit_of(double ms) {
  return ms >= 1e3 ? TimeUnit{1e3, "s"} : ms >= 0.1 ? TimeUnit{1, "ms"} : TimeUnit{1e-3, "µs"};
}

struct Times {
  double least = 1e300, most = 0;
  double framed = 0; ///< of the best, else the least

  void add(double ms) {
    least = std::min(least, ms);
    most = std::max(most, ms);
  }

  /// 0 for the least, 1 for the most: the root of the share by logarithms, so that what is near the best is
  /// told apart where others take many times as long.
  double share(double ms) const {
    return most > least ? std::sqrt(std::log(ms / least) / std::log(most / least)) : 0;
  }

  /// The time of a share.
  double at(double share) const { return least * std::pow(most / least, share * share); }
};

/// A square with its time in the map's unit, where there is room for it.
void draw_square(Chart& chart, const Box& box, std::optional<double> time, std::size_t failed,
                 const Times& times, const TimeUnit& unit) {
  if (!time) {
    outline(chart, box, Pen{pale, 0.5}, std::nullopt);
    if (failed > 0)
      hatch(chart, box);
    return;
  }
  const Colour ground = shade(times.share(*time));
  const bool best = *time == times.framed;
  outline(chart, box, Pen{paper, 0.8}, ground);
  if (best) {
    const Box inside{box.left + 1.5, box.top + 1.5, box.right - 1.5, box.bottom - 1.5};
    outline(chart, inside, Pen{palette[4], 2}, std::nullopt);
  }
  const std::string text = three_digits(*time / unit.ms);
  if (chart.width_of(text) * 1.15 < box.right - box.left - 5 &&
      box.bottom - box.top > 1.3 * text_size)
    chart.add(
        Text{.text = text,
             .at = {(box.left + box.right) / 2, (box.top + box.bottom) / 2 + 0.35 * text_size},
             .anchor = Anchor::middle,
             .colour = readable_on(ground),
             .bold = best});
}

/// Row by row from the foot, each square in its place.
template <typename Draw>
void draw_squares(const Box& area, Squares& squares, std::size_t columns, std::size_t rows,
                  const Draw& draw) {
  const double wide = (area.right - area.left) / static_cast<double>(columns),
               high = (area.bottom - area.top) / static_cast<double>(rows);
  for (std::size_t x = 0; x < columns; ++x)
    for (std::size_t y = 0; y < rows; ++y) {
      const double left = area.left + wide * static_cast<double>(x),
                   bottom = area.bottom - high * static_cast<double>(y);
      draw({left, bottom - high, left + wide, bottom}, squares[{x, y}]);
    }
}

/// Shades with their times, in the map's unit.
void draw_bar(Chart& chart, const Box& area, const Times& times, const TimeUnit& unit) {
  const double left = area.right + 14, high = std::min(area.bottom - area.top, 160.0);
  constexpr int steps = 40;
  for (int i = 0; i < steps; ++i) // each up to the top, so that no seam is left
    outline(chart, {left, area.bottom - high, left + bar_width, area.bottom - high * i / steps},
            std::nullopt, shade((i + 0.5) / steps));
  const auto name = [&](double ms, double y) {
    chart.add(Text{.text = three_digits(ms / unit.ms) + ' ' + unit.name,
                   .at = {left + bar_width + 4, y},
                   .size = small_size});
  };
  name(times.least, area.bottom);
  if (times.most > times.least)
    name(times.most, area.bottom - high + 0.8 * small_size);
  if (high > 5 * small_size && times.most > 1.02 * times.least)
    name(times.at(0.5), area.bottom - high / 2 + 0.4 * small_size);
}

/// Values along an edge; of names that would run into each other every second, third … stands.
void draw_values(Chart& chart, const Side& across, const Side& up, const Box& area) {
  const auto columns = static_cast<double>(across.values.size()),
             rows = static_cast<double>(up.values.size());
  const double wide = (area.right - area.left) / columns, high = (area.bottom - area.top) / rows;
  double last = -1e9;
  for (std::size_t i = 0; i < across.values.size(); ++i) {
    const std::string text = to_text(across.values[i]);
    const double x = area.left + wide * (static_cast<double>(i) + 0.5);
    const double half = chart.width_of(text) / 2;
    if (x - half < last + 3)
      continue;
    last = x + half;
    chart.add(
        Text{.text = text, .at = {x, area.bottom + 1.25 * text_size}, .anchor = Anchor::middle});
  }
  last = 1e9;
  for (std::size_t i = 0; i < up.values.size(); ++i) {
    const double y = area.bottom - high * (static_cast<double>(i) + 0.5);
    if (y > last - 1.2 * text_size)
      continue;
    last = y;
    chart.add(Text{.text = to_text(up.values[i]),
                   .at = {area.left - 5, y + 0.35 * text_size},
                   .anchor = Anchor::end});
  }
  chart.add(Text{.text = across.name,
                 .at = {(area.left + area.right) / 2, area.bottom + 2.7 * text_size},
                 .anchor = Anchor::middle,
                 .bold = true});
  chart.add(Text{.text = up.name,
                 .at = {10 + 0.8 * text_size, (area.top + area.bottom) / 2},
                 .anchor = Anchor::middle,
                 .bold = true,
                 .angle = -std::numbers::pi / 2});
}

/// Of each pair of values the time wanted; the least and the most of them.
Times times_of(Squares& squares, CellValue value) {
  Times times;
  for (auto& [place, square] : squares)
    if (const auto time = square.time(value)) {
      times.add(*time);
      if (square.best_ms && value == CellValue::best)
        times.framed = *time;
    }
  if (times.framed == 0)
    times.framed = times.least;
  return times;
}

std::string finding_of(const Tiling& wanted, const Times& times, const TimeUnit& unit) {
  const bool best = wanted.value == CellValue::best;
  return fmt::format("{} time of each pair of values, in {}; the {}, {}, is framed.",
                     best ? "Best" : "Median", unit.name,
                     times.framed == times.least ? "lowest" : "best",
                     three_digits(times.framed / unit.ms));
}

} // namespace

Scene tiling_plot(const Recording& recording, const Tiling& asked, const Measurement* best,
                  const TextWidth& width_of) {
  const Tiling wanted = completed(recording, asked);
  const Side across = side_of(parameter_of(recording, wanted.across)),
             up = side_of(parameter_of(recording, wanted.up));
  Squares squares = squares_of(recording, across, up, best);
  const Times times = times_of(squares, wanted.value);
  if (times.most == 0)
    throw InputError(title_of(recording) + ": no configuration is correct and has a time");
  const TimeUnit unit = unit_of(times.least);
  const auto rows = static_cast<double>(up.values.size());
  const double high =
      std::max(120.0, rows * std::max(least_square, std::min(highest_row, 400 / rows)));
  Chart chart(picture_width, width_of);
  const Box between =
      chart.head_and_foot({title_of(recording), finding_of(wanted, times, unit),
                           caption_of(recording) + ". Hatched: all failed; empty: not tried."},
                          high + names_height);
  double names = 0;
  for (const Value& value : up.values)
    names = std::max(names, chart.width_of(to_text(value)));
  const Box area{between.left + 1.6 * text_size + names + 5, between.top + 4,
                 between.right - beside_bar - bar_width, between.bottom - names_height};
  const double wide = (area.right - area.left) / static_cast<double>(across.values.size());
  if (wide < least_square || rows > 400 / least_square)
    throw InputError(
        fmt::format("'{}' has {} values and '{}' {}: too many for squares that can be seen",
                    across.name, across.values.size(), up.name, up.values.size()));
  draw_squares(area, squares, across.values.size(), up.values.size(),
               [&](const Box& box, Square& square) {
                 draw_square(chart, box, square.time(wanted.value), square.failed, times, unit);
               });
  draw_values(chart, across, up, area);
  draw_bar(chart, area, times, unit);
  return std::move(chart).finished();
}

std::string tiling_json(const Recording& recording, const Tiling& asked, const Measurement* best) {
  const Tiling wanted = completed(recording, asked);
  const Side across = side_of(parameter_of(recording, wanted.across)),
             up = side_of(parameter_of(recording, wanted.up));
  auto list = nlohmann::ordered_json::array();
  for (auto& [place, square] : squares_of(recording, across, up, best)) {
    const auto time = square.time(wanted.value);
    list.push_back({{"across", json_of(across.values[place.first])},
                    {"up", json_of(up.values[place.second])},
                    {"time_ms", or_null(time)},
                    {"correct", square.times_ms.size()},
                    {"failed", square.failed}});
  }
  return json_text(nlohmann::ordered_json{{"of", title_of(recording)},
                                          {"across", across.name},
                                          {"up", up.name},
                                          {"value", to_text(wanted.value)},
                                          {"squares", std::move(list)}},
                   2);
}

} // namespace gridsmith
