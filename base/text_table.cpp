// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/base/text_table.hpp"

#include "gridsmith/base/safe_text.hpp"
#include "gridsmith/base/text_layout.hpp"

#include <algorithm>

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

void Table::add_below(std::size_t row, std::string text) {
  below_[row] = printable(text);
}

std::vector<Table::Shown> Table::shown() const {
  std::vector<Shown> all;
  all.reserve(columns_.size());
  for (std::size_t c = 0; c < columns_.size(); ++c) {
    if (std::all_of(rows_.begin(), rows_.end(), [&](const auto& row) { return row[c].empty(); }))
      continue;
    Shown one{c, std::max(width_of(columns_[c].title), width_of(columns_[c].unit)), 0};
    for (const auto& row : rows_)
      one.width = std::max(one.width, width_of(row[c]));
    one.least = one.width;
    if (columns_[c].left) {
      one.least = widest_word(columns_[c].title);
      for (const auto& row : rows_)
        one.least = std::max(one.least, widest_word(row[c]));
    }
    all.push_back(one);
  }
  return all;
}

std::string Table::part(const std::vector<Shown>& shown, std::size_t width) const {
  const bool breaks = columns_[shown.back().column].left;
  std::size_t others = 0;
  for (std::size_t i = 1; i < shown.size(); ++i)
    others += 2 + (breaks && i + 1 == shown.size() ? shown[i].least : shown[i].width);
  // A name that leaves the others too little has a line of its own.
  const std::size_t names = std::min(shown.front().width, std::max(others + 8, width) - others);
  std::string text;
  const auto line = [&](const auto& cell) {
    std::string one;
    for (std::size_t i = 0; i + 1 < shown.size(); ++i) {
      const std::string name = cell(shown[i].column);
      one += padded(name, i == 0 ? names : shown[i].width, columns_[shown[i].column].left);
      if (i == 0 && width_of(name) > names)
        one += '\n' + std::string(names, ' ');
      one += "  ";
    }
    const std::string last =
        padded(cell(shown.back().column), shown.back().width, columns_[shown.back().column].left);
    const std::size_t begin = one.rfind('\n') + 1;
    if (breaks)
      one = one.substr(0, begin) +
            two_columns(one.substr(begin), last, width_of(one.substr(begin)), width);
    else
      one += last;
    text += one.substr(0, one.find_last_not_of(" \n") + 1) + '\n';
  };
  line([&](std::size_t c) { return columns_[c].title; });
  if (std::any_of(shown.begin(), shown.end(),
                  [&](const Shown& one) { return !columns_[one.column].unit.empty(); }))
    line([&](std::size_t c) { return columns_[c].unit; });
  for (std::size_t r = 0; r < rows_.size(); ++r) {
    line([&](std::size_t c) { return rows_[r][c]; });
    if (const auto below = below_.find(r); below != below_.end())
      text += wrapped(below->second, width, 4) + '\n';
  }
  return text;
}

std::string Table::text(std::size_t width) const {
  const std::vector<Shown> all = shown();
  if (all.empty())
    return std::string(1 + rows_.size(), '\n');
  std::string text;
  for (std::size_t next = 1; text.empty() || next < all.size();) {
    std::vector<Shown> fitting = {all.front()};
    bool full = false;
    for (std::size_t used = all.front().width; next < all.size() && !full; ++next) {
      const Shown& one = all[next];
      full = used + 2 + one.width > width;
      if (full && fitting.size() > 1 && used + 2 + one.least > width)
        break;
      fitting.push_back(one);
      used += 2 + one.width;
    }
    text += (text.empty() ? "" : "\n") + part(fitting, width);
  }
  return text;
}

std::string Table::markdown() const {
  std::string text = "|", rule = "\n|";
  for (const Column& column : columns_) {
    text += ' ' + column.title + (column.unit.empty() ? "" : ", ") + column.unit + " |";
    rule += column.left ? " --- |" : " ---: |";
  }
  text += rule;
  for (const auto& row : rows_) {
    text += "\n|";
    for (const std::string& cell : row) {
      text += ' ';
      for (const char c : cell)
        text += c == '|' ? std::string("\\|") : std::string(1, c);
      text += " |";
    }
  }
  return text + '\n';
}

} // namespace gridsmith
