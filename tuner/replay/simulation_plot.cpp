// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/base/safe_text.hpp"
#include "gridsmith/tuner/replay/simulation_output.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

namespace gridsmith {
namespace {

// Okabe and Ito's palette, told apart by colour-blind readers as well; from the eighth on dashed.
constexpr std::array<std::string_view, 7> colours = {"#0072b2", "#d55e00", "#009e73", "#cc79a7",
                                                     "#e69f00", "#56b4e9", "#000000"};
constexpr std::array<double, 13> ticks = {1, 1.02, 1.05, 1.1, 1.2, 1.5, 2, 3.0, 5, 10, 20, 50, 100};
constexpr double panel_width = 460, panel_height = 300; // pixels, margins included
constexpr double left = 62, right = 12, top = 30, bottom = 46;
constexpr double legend_line = 18;

std::string escaped(const std::string& text) {
  std::string out;
  for (const char c : printable(text))
    out += c == '<' ? "&lt;" : c == '>' ? "&gt;" : c == '&' ? "&amp;" : std::string(1, c);
  return out;
}

std::vector<std::string> names(const SimulationTable& table, std::string SimulationResult::* name) {
  std::vector<std::string> found;
  for (const SimulationResult& cell : table)
    if (std::find(found.begin(), found.end(), cell.*name) == found.end())
      found.push_back(cell.*name);
  return found;
}

/// One recording's axes: evaluations linear, ratio logarithmic.
class Panel {
public:
  Panel(double x, double y, const std::vector<const SimulationResult*>& cells) : x_(x), y_(y) {
    for (const SimulationResult* cell : cells) {
      last_ = std::max(last_, static_cast<double>(cell->curve.size()));
      // The first evaluations are anybody's; they would squeeze the rest.
      const RatioSpread& early = cell->curve[std::min<std::size_t>(4, cell->curve.size() - 1)];
      if (std::isfinite(early.high))
        highest_ = std::max(highest_, early.high);
    }
  }

  double across(double evaluations) const {
    const double share = last_ > 1 ? (evaluations - 1) / (last_ - 1) : 0;
    return x_ + left + share * (panel_width - left - right);
  }

  double up(double ratio) const {
    const double share = std::min(1.0, std::log(ratio) / std::log(highest_));
    return y_ + panel_height - bottom - share * (panel_height - top - bottom);
  }

  std::string axes(const std::string& title) const {
    std::string svg = fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" class=\"title\">{}</text>\n",
                                  x_ + left, y_ + top - 10, escaped(title));
    const double low = up(1), end = across(last_);
    for (const double tick : ticks)
      if (tick <= highest_ && (tick == 1 || tick_fits(tick)))
        svg += fmt::format("<path d=\"M{:.1f} {:.1f}H{:.1f}\" class=\"grid\"/><text x=\"{:.1f}\" "
                           "y=\"{:.1f}\" text-anchor=\"end\">{:g}</text>\n",
                           across(1), up(tick), end, across(1) - 6, up(tick) + 4, tick);
    for (int quarter = 0; quarter <= 4; ++quarter) {
      const double evaluations = std::max(1.0, std::round(last_ * quarter / 4));
      svg += fmt::format("<path d=\"M{:.1f} {:.1f}v5\" class=\"axis\"/><text x=\"{:.1f}\" "
                         "y=\"{:.1f}\" text-anchor=\"middle\">{:g}</text>\n",
                         across(evaluations), low, across(evaluations), low + 18, evaluations);
    }
    return svg + fmt::format("<path d=\"M{0:.1f} {1:.1f}V{2:.1f}H{3:.1f}\" class=\"axis\"/>\n"
                             "<text x=\"{4:.1f}\" y=\"{5:.1f}\" text-anchor=\"middle\">evaluations"
                             "</text>\n<text transform=\"translate({6:.1f} {7:.1f}) rotate(-90)\" "
                             "text-anchor=\"middle\">best found / optimum</text>\n",
                             across(1), up(highest_), low, end, (across(1) + end) / 2, low + 36,
                             x_ + 16, (low + up(highest_)) / 2);
  }

  std::string curve(const SimulationResult& cell, std::size_t style) const {
    const std::string_view colour = colours[style % colours.size()];
    std::string line, upper, lower;
    for (const RatioSpread& point : cell.curve) {
      const double x = across(static_cast<double>(point.evaluations));
      line += fmt::format("{:.1f},{:.1f} ", x, up(point.median));
      upper += fmt::format("{:.1f},{:.1f} ", x, up(point.high));
      lower.insert(0, fmt::format("{:.1f},{:.1f} ", x, up(point.low)));
    }
    return fmt::format(
        "<polygon points=\"{}\" fill=\"{}\" opacity=\"0.13\"/>\n"
        "<polyline points=\"{}\" fill=\"none\" stroke=\"{}\" stroke-width=\"1.8\"{}/>\n",
        upper + lower, colour, line, colour, dash(style));
  }

  static std::string_view dash(std::size_t style) {
    return style < colours.size() ? "" : " stroke-dasharray=\"6 3\"";
  }

private:
  /// Labels nearer than their height to the one at 1 are left out on wide axes.
  bool tick_fits(double tick) const {
    double previous = 1;
    for (const double other : ticks) {
      if (other >= tick)
        break;
      if (other == 1 || up(previous) - up(other) >= 14)
        previous = other;
    }
    return up(previous) - up(tick) >= 14;
  }

  double x_, y_;
  double last_ = 1;
  double highest_ = 1.05; // so that perfect curves have an axis
};

} // namespace

std::string simulation_svg(const SimulationTable& table) {
  const auto recordings = names(table, &SimulationResult::recording);
  const auto strategies = names(table, &SimulationResult::strategy);
  const std::size_t columns = std::min<std::size_t>(recordings.size(), 2);
  const std::size_t rows = columns > 0 ? (recordings.size() + columns - 1) / columns : 0;
  std::string body;
  for (std::size_t r = 0; r < recordings.size(); ++r) {
    std::vector<const SimulationResult*> cells;
    for (const SimulationResult& cell : table)
      if (cell.recording == recordings[r] && !cell.curve.empty())
        cells.push_back(&cell);
    const std::size_t row = r / columns, column = r % columns;
    const Panel panel(panel_width * static_cast<double>(column),
                      panel_height * static_cast<double>(row), cells);
    body += panel.axes(recordings[r]);
    for (const SimulationResult* cell : cells)
      body += panel.curve(
          *cell,
          static_cast<std::size_t>(std::find(strategies.begin(), strategies.end(), cell->strategy) -
                                   strategies.begin()));
  }
  double y = panel_height * static_cast<double>(rows) + legend_line;
  for (std::size_t s = 0; s < strategies.size(); ++s, y += legend_line)
    body += fmt::format("<path d=\"M{0:.1f} {1:.1f}h26\" stroke=\"{2}\" stroke-width=\"1.8\"{3}/>"
                        "<text x=\"{4:.1f}\" y=\"{5:.1f}\">{6}</text>\n",
                        left, y, colours[s % colours.size()], Panel::dash(s), left + 34, y + 4,
                        escaped(strategies[s]));
  const double width = panel_width * static_cast<double>(std::max<std::size_t>(columns, 1));
  return fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0:.0f}\" height=\"{1:.0f}\" "
      "viewBox=\"0 0 {0:.0f} {1:.0f}\">\n<style>text{{font:12px sans-serif}}"
      ".title{{font-weight:bold}}.grid{{stroke:#ddd}}.axis{{stroke:#333;fill:none}}"
      "</style>\n<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n{2}"
      "<text x=\"{3:.1f}\" y=\"{4:.1f}\">lines: median over the runs; bands: "
      "quartiles</text>\n</svg>\n",
      width, y + legend_line + 8, body, left, y + 6);
}

} // namespace gridsmith
