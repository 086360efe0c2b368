// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/base/line_diff.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

namespace gridsmith {
namespace {

constexpr std::size_t context = 3;

using Lines = std::vector<std::string_view>;

Lines lines_of(std::string_view text) {
  Lines lines;
  while (!text.empty()) {
    const auto end = std::min(text.find('\n'), text.size());
    lines.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

/// A line of the edit: ' ', '-' or '+'.
struct Step {
  char kind;
  std::string_view line;
};

std::vector<Step> steps_from(const Lines& before, const Lines& after) {
  std::vector<Step> steps;
  for (const std::string_view line : before)
    steps.push_back({'-', line});
  for (const std::string_view line : after)
    steps.push_back({'+', line});
  return steps;
}

/// Farthest places reached along each diagonal, edit by edit, then walked back.
class Edit {
public:
  Edit(const Lines& before, const Lines& after) : a_(before), b_(after) {}

  std::vector<Step> steps() {
    const Place most = std::min<Place>(size(a_) + size(b_), most_edits);
    std::vector<Place> reach(index(2 * most + 3), 0); // of diagonal k at k + most + 1
    for (Place d = 0; d <= most; ++d) {
      rounds_.emplace_back(reach.begin() + (most - d), reach.begin() + (most + d + 3));
      for (Place k = -d; k <= d; k += 2) {
        const auto at = reach.begin() + (most + 1 + k);
        Place x = goes_down(k, d, at[-1], at[1]) ? at[1] : at[-1] + 1;
        while (x < size(a_) && x - k < size(b_) && a_[index(x)] == b_[index(x - k)])
          ++x;
        *at = x;
        if (x >= size(a_) && x - k >= size(b_))
          return walked_back(d);
      }
    }
    return steps_from(a_, b_);
  }

private:
  using Place = std::ptrdiff_t;
  static constexpr Place most_edits = 3000; // memory is their square

  static Place size(const Lines& lines) { return static_cast<Place>(lines.size()); }

  static std::size_t index(Place place) { return static_cast<std::size_t>(place); }

  static bool goes_down(Place k, Place d, Place left, Place right) {
    return k == -d || (k != d && left < right);
  }

  std::vector<Step> walked_back(Place edits) const {
    std::vector<Step> steps;
    Place x = size(a_), y = size(b_);
    const auto common = [&](Place to_x, Place to_y) {
      while (x > to_x && y > to_y) {
        steps.push_back({' ', a_[index(--x)]});
        --y;
      }
    };
    for (Place d = edits; d > 0; --d) {
      const auto before = rounds_[index(d)].begin() + (d + 1); // as that round began
      const Place k = x - y;
      const bool down = goes_down(k, d, before[k - 1], before[k + 1]);
      const Place from = down ? before[k + 1] : before[k - 1];
      common(from, from - (down ? k + 1 : k - 1));
      steps.push_back(down ? Step{'+', b_[index(--y)]} : Step{'-', a_[index(--x)]});
    }
    common(0, 0);
    std::reverse(steps.begin(), steps.end());
    return steps;
  }

  const Lines &a_, &b_;
  std::vector<std::vector<Place>> rounds_; ///< reach from -d - 1 to d + 1 before round d
};

/// Of a part of the edit; lines are counted from 1.
std::string hunk(const std::vector<Step>& steps, std::size_t begin, std::size_t end,
                 std::size_t old_line, std::size_t new_line) {
  std::size_t removed = 0, added = 0;
  std::string text;
  for (std::size_t i = begin; i < end; ++i) {
    removed += steps[i].kind != '+';
    added += steps[i].kind != '-';
    text += fmt::format("{}{}\n", steps[i].kind, steps[i].line);
  }
  return fmt::format("@@ -{},{} +{},{} @@\n", old_line - (removed == 0), removed,
                     new_line - (added == 0), added) +
         text;
}

} // namespace

std::string line_diff(std::string_view before, std::string_view after, const std::string& name) {
  if (before == after)
    return "";
  const Lines a = lines_of(before), b = lines_of(after);
  const std::vector<Step> steps = Edit(a, b).steps();
  std::string text = fmt::format("--- a/{0}\n+++ b/{0}\n", name);
  std::size_t old_line = 1, new_line = 1, counted = 0; // of steps[counted]
  for (std::size_t i = 0; i < steps.size();) {
    if (steps[i].kind == ' ') {
      ++i;
      continue;
    }
    const std::size_t begin = i - std::min(i, context);
    std::size_t last = i;
    for (std::size_t j = i; j < steps.size() && j <= last + 2 * context; ++j)
      if (steps[j].kind != ' ')
        last = j;
    const std::size_t end = std::min(last + 1 + context, steps.size());
    for (; counted < begin; ++counted) {
      old_line += steps[counted].kind != '+';
      new_line += steps[counted].kind != '-';
    }
    text += hunk(steps, begin, end, old_line, new_line);
    i = end;
  }
  return text;
}

} // namespace gridsmith
