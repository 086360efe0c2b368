// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/base/text_table.hpp"

#include "gridsmith/base/safe_text.hpp"
#include "gridsmith/base/text_layout.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace gridsmith {
namespace {

std::string padded(const std::string& text, std::size_t to, bool left) {
  const std::string space(to - std::min(to, width_of(text)), ' ');
  return left ? text + space : space + text;
}

} // namespace

void Table::add(std::vector<std::string> cells) {
  cells.resize(columns_.size());
  for (std::string& cell : cells)
    cell = printable(cell);
  rows_.push_back(std::move(cells));
}

std::string Table::text(std::size_t width) const {
  std::vector<std::size_t> shown, widths;
  bool units = false;
  for (std::size_t c = 0; c < columns_.size(); ++c) {
    if (std::all_of(rows_.begin(), rows_.end(), [&](const auto& row) { return row[c].empty(); }))
      continue;
    std::size_t widest = std::max(width_of(columns_[c].title), width_of(columns_[c].unit));
    for (const auto& row : rows_)
      widest = std::max(widest, width_of(row[c]));
    shown.push_back(c);
    widths.push_back(widest);
    units = units || !columns_[c].unit.empty();
  }
  std::string text;
  const auto line = [&](const auto& cell) {
    std::string one;
    for (std::size_t i = 0; i + 1 < shown.size(); ++i)
      one += padded(cell(shown[i]), widths[i], columns_[shown[i]].left) + "  ";
    if (!shown.empty()) {
      const std::string last =
          padded(cell(shown.back()), widths.back(), columns_[shown.back()].left);
      one = columns_[shown.back()].left ? two_columns(one, last, width_of(one), width)
                                        : one + last + '\n';
    }
    text += one.substr(0, one.find_last_not_of(" \n") + 1) + '\n';
  };
  line([&](std::size_t c) { return columns_[c].title; });
  if (units)
    line([&](std::size_t c) { return columns_[c].unit; });
  for (const auto& row : rows_)
    line([&](std::size_t c) { return row[c]; });
  return text;
}

std::string number_text(double value) {
  if (!std::isfinite(value))
    return fmt::format("{}", value);
  const double size = std::fabs(value);
  if (value == std::floor(value) && size < 1e9)
    return fmt::format("{:.0f}", value);
  if (size < 1e-4 || size >= 1e9)
    return fmt::format("{:.3g}", value);
  const int magnitude = static_cast<int>(std::floor(std::log10(size)));
  return fmt::format("{:.{}f}", value, std::max(0, 3 - magnitude));
}

std::string bytes_text(double bytes) {
  const char* const units[] = {"B", "kB", "MB", "GB", "TB", "PB"};
  std::size_t unit = 0;
  for (; bytes >= 1000 && unit + 1 < std::size(units); ++unit)
    bytes /= 1000;
  return number_text(bytes) + " " + units[unit];
}

} // namespace gridsmith
