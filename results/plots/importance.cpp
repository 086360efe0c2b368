// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/results/plots/importance.hpp"

#include "gridsmith/base/error.hpp"
#include "gridsmith/base/json_text.hpp"
#include "gridsmith/base/number_text.hpp"
#include "gridsmith/results/influence/importance.hpp"
#include "gridsmith/results/plots/heading.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>

namespace gridsmith {
namespace {

constexpr double row_height = 17, axis_height = 38;
constexpr std::size_t most_rows = 14;
constexpr double label_width = 48; // right of the axis: "94.1 %" in bold
constexpr double worth_a_ratio = 1.05;

/// A parameter or a pair of them.
struct Row {
  std::string name;
  double share = 0;
  bool pair = false, by_chance = false;
  std::string step; ///< what the parameter's widest step does, "" unknown
};

std::string step_text(const ParameterEffect& effect) {
  if (!effect.step || std::abs(std::log(effect.step->ratio)) < std::log(worth_a_ratio))
    return "";
  return fmt::format("{} → {}: {} × the time", to_text(effect.step->from), to_text(effect.step->to),
                     three_digits(effect.step->ratio));
}

nlohmann::ordered_json step_json(const ParameterEffect& effect) {
  if (!effect.step)
    return nullptr;
  return {{"from", to_text(effect.step->from)},
          {"to", to_text(effect.step->to)},
          {"time_ratio", effect.step->ratio}};
}

Importance known_importance(const Recording& recording) {
  const Influence known = influence(recording);
  if (!known.enough)
    throw InputError(fmt::format("{}: {} correct configurations are too few; {} are needed",
                                 title_of(recording), known.configurations, fewest_configurations));
  Importance found = importance(recording, known);
  if (found.mains.empty() && found.pairs.empty())
    throw InputError(title_of(recording) +
                     ": no parameter has several values, or all times are the same");
  return found;
}

/// Largest share first.
std::vector<Row> rows_of(const Recording& recording) {
  std::vector<Row> rows;
  const Importance found = known_importance(recording);
  rows.reserve(found.mains.size() + found.pairs.size());
  for (const ParameterEffect& one : found.mains)
    rows.push_back({one.parameter, one.share, false, one.by_chance, step_text(one)});
  for (const PairEffect& one : found.pairs)
    rows.push_back({one.a + " × " + one.b, one.share, true, false, ""});
  std::stable_sort(rows.begin(), rows.end(),
                   [](const Row& a, const Row& b) { return a.share > b.share; });
  rows.resize(std::min(rows.size(), most_rows));
  return rows;
}

std::string finding_of(const std::vector<Row>& rows) {
  const Row& first = rows.front();
  if (first.by_chance)
    return "No parameter moves the time by more than chance would show.";
  return fmt::format("{} {} {} % of the variance of log time{}.", first.name,
                     first.pair ? "together, beyond each alone, explain" : "alone explains",
                     three_digits(100 * first.share),
                     rows.size() > 1 && !rows[1].by_chance
                         ? fmt::format(", {} {} %", rows[1].name, three_digits(100 * rows[1].share))
                         : "");
}

/// How it was computed, and why shares of what hangs together sum to more than all.
std::string caption_with_key(const Recording& recording, const std::vector<Row>& rows) {
  double sum = 0;
  for (const Row& row : rows)
    sum += row.by_chance ? 0 : row.share;
  const bool steps = std::any_of(
      rows.begin(), rows.end(), [](const Row& row) { return !row.step.empty() && !row.by_chance; });
  return caption_of(recording) +
         ". Filled: a parameter alone; striped: a pair beyond all parameters alone" +
         (steps
              ? "; next to a bar, where there is space: the widest step with all else equal, the median over "
                "its pairs."
              : ".") +
         (sum > 1 ? " Parameters that constraints tie explain the same time twice." : "");
}

/// Filled for a parameter alone, striped for a pair, hollow for what chance would show.
void draw_bar(Chart& chart, const Row& row, double left, double right, double middle) {
  const double top = middle - 5, bottom = middle + 5;
  const Colour& colour = row.pair ? palette[1] : palette[0];
  chart.add(Shape{.places = {{left, top}, {right, top}, {right, bottom}, {left, bottom}},
                  .closed = true,
                  .pen = Pen{colour, 0.8},
                  .fill = row.by_chance ? paper
                          : row.pair    ? colour.faded(0.3)
                                        : colour});
  if (row.pair)
    for (double x = left + 3; x < right; x += 4)
      chart.add(Shape{.places = {{x, top}, {x, bottom}}, .pen = Pen{colour, 0.6}});
}

void draw_row(Chart& chart, const Row& row, const Axis& across, double middle) {
  const double base = middle + 0.35 * text_size, right = across.at(row.share);
  chart.add(Text{.text = row.name, .at = {across.from() - 6, base}, .anchor = Anchor::end});
  draw_bar(chart, row, across.from(), std::max(right, across.from() + 0.5), middle);
  const std::string share =
      row.by_chance ? "not more than chance" : three_digits(100 * row.share) + " %";
  chart.add(Text{.text = share,
                 .at = {right + 5, base},
                 .colour = row.by_chance ? grey : ink,
                 .bold = !row.by_chance});
  if (row.step.empty() || row.by_chance)
    return;
  const double after = right + 11 + 1.1 * chart.width_of(share);
  if (after + chart.width_of(row.step, small_size) < across.to() + label_width)
    chart.add(Text{.text = row.step, .at = {after, base}, .size = small_size, .colour = grey});
}

} // namespace

Scene importance_plot(const Recording& recording, const TextWidth& width_of) {
  const std::vector<Row> rows = rows_of(recording);
  Chart chart(picture_width, width_of);
  const Box between = chart.head_and_foot(
      {title_of(recording), finding_of(rows), caption_with_key(recording, rows)},
      row_height * static_cast<double>(rows.size()) + axis_height);
  double names = 0;
  for (const Row& row : rows)
    names = std::max(names, chart.width_of(row.name));
  const Box area{between.left + names + 6, between.top + 4, between.right - label_width,
                 between.bottom - axis_height + 4};
  const double most = std::min(1.0, std::max(0.05, 1.4 * rows.front().share));
  const Axis percent(Scale::linear, 0, 100 * most, area.left, area.right);
  chart.draw_across(percent, area, "share of the variance of log time, %");
  const Axis across(Scale::linear, 0, most, area.left, area.right);
  for (std::size_t i = 0; i < rows.size(); ++i)
    draw_row(chart, rows[i], across,
             area.top + (area.bottom - area.top) * (static_cast<double>(i) + 0.5) /
                            static_cast<double>(rows.size()));
  return std::move(chart).finished();
}

std::string importance_json(const Recording& recording) {
  const Importance found = known_importance(recording);
  auto mains = nlohmann::ordered_json::array(), pairs = mains;
  for (const ParameterEffect& one : found.mains)
    mains.push_back({{"parameter", one.parameter},
                     {"share", one.share},
                     {"by_chance", one.by_chance},
                     {"widest_step", step_json(one)}});
  for (const PairEffect& one : found.pairs)
    pairs.push_back({{"a", one.a}, {"b", one.b}, {"share", one.share}});
  return json_text(nlohmann::ordered_json{{"of", title_of(recording)},
                                          {"mains", std::move(mains)},
                                          {"pairs", std::move(pairs)},
                                          {"explained", found.explained}},
                   2);
}

} // namespace gridsmith
