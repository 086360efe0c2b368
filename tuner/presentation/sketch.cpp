// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/tuner/presentation/sketch.hpp"

#include "gridsmith/base/number_text.hpp"
#include "gridsmith/base/text_layout.hpp"
#include "gridsmith/results/drawing/axis.hpp"
#include "gridsmith/results/explanation/explanation.hpp"
#include "gridsmith/results/measurement/objective.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <span>
#include <string_view>

namespace gridsmith {
namespace {

constexpr std::size_t most_bins = 48, least_bins = 8, most_bar = 30;

// From nothing to the most. Of blocks the eighths; of ASCII signs with more and more ink.
constexpr std::array<std::string_view, 9> blocks{" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
constexpr std::array<std::string_view, 9> signs{" ", ".", ":", "-", "=", "+", "*", "#", "@"};

/// As many of `count` cells as the share asks for.
std::string bar(double share, std::size_t count, const Terminal& terminal) {
  const auto cells = static_cast<double>(count);
  const auto filled = static_cast<std::size_t>(std::lround(std::clamp(share, 0.0, 1.0) * cells));
  std::string text;
  for (std::size_t i = 0; i < count; ++i)
    text += i < filled ? terminal.blocks ? "█" : "#" : terminal.blocks ? "░" : ".";
  return text;
}

/// What is there is seen, however much more is elsewhere.
std::size_t height_of(std::size_t count, std::size_t most) {
  const std::size_t levels = blocks.size() - 1;
  return count == 0 ? 0 : std::max<std::size_t>(1, (count * levels + most / 2) / most);
}

} // namespace

std::string histogram_text(std::vector<double> times_ms, const Terminal& terminal) {
  std::sort(times_ms.begin(), times_ms.end());
  std::vector<double> different = times_ms;
  different.erase(std::unique(different.begin(), different.end()), different.end());
  if (different.size() < 3 || different.front() <= 0)
    return "";
  const std::string first = time_text(times_ms.front()), last = time_text(times_ms.back());
  const std::size_t beside = width_of(first) + width_of(last) + 4;
  const std::size_t count = std::min(
      most_bins, std::max(least_bins, terminal.width > beside ? terminal.width - beside : 0));
  const Axis axis(Scale::logarithmic, times_ms.front(), times_ms.back(), 0,
                  static_cast<double>(count));
  std::vector<std::size_t> bins(count);
  for (const double time : times_ms)
    ++bins[std::min(count - 1, static_cast<std::size_t>(axis.at(time)))];
  const std::size_t most = *std::max_element(bins.begin(), bins.end());
  std::string text;
  for (const std::size_t one : bins)
    text += (terminal.blocks ? blocks : signs)[height_of(one, most)];
  return fmt::format("{} {} {}", first, text, last);
}

std::string ceiling_text(const Roofline& roofline, const Terminal& terminal) {
  const Ceiling* nearest = roofline.nearest();
  if (!nearest)
    return "";
  const std::string words =
      fmt::format("{:.0f} % of {}, {}", 100 * nearest->fraction,
                  rate_text(nearest->peak, std::string(nearest->unit.substr(1))),
                  nearest->measured ? "measured" : "data sheet");
  const std::size_t beside = nearest->name.size() + width_of(words) + 4;
  const std::size_t count = std::min(
      most_bar, std::max(least_bins, terminal.width > beside ? terminal.width - beside : 0));
  return fmt::format("{} {} {}", nearest->name, bar(nearest->fraction, count, terminal), words);
}

std::string sketch_text(const Outcome& outcome, const Terminal& terminal) {
  std::vector<double> times;
  for (const Measurement& one : outcome.result.measurements)
    if (const auto time = cost_ms(one))
      times.push_back(*time);
  std::string text;
  if (const std::string line = histogram_text(times, terminal); !line.empty())
    text += fmt::format("Histogram of the times of {} (log scale)\n  {}\n",
                        counted(times.size(), "configuration"), line);
  if (outcome.answer.ranking.empty())
    return text;
  const Subject& subject = outcome.subject;
  Recording of;
  of.device = subject.device;
  of.peaks = subject.peaks;
  of.workload = subject.workload;
  const Roofline roofline = explain(of, outcome.answer.ranking.front().measurement).roofline;
  if (const std::string line = ceiling_text(roofline, terminal); !line.empty())
    text += "The best compared with its nearest ceiling\n  " + line + '\n';
  return text;
}

} // namespace gridsmith
