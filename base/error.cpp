// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/base/error.hpp"

#include <algorithm>
#include <cctype>
#include <numeric>
#include <vector>

namespace gridsmith {
namespace {

/// Levenshtein distance, letters compared without case.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  const auto lower = [](char c) { return std::tolower(static_cast<unsigned char>(c)); };
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t change = diagonal + (lower(a[i - 1]) == lower(b[j - 1]) ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, change});
    }
  }
  return row[b.size()];
}

constexpr std::size_t most_listed = 24; // more names than this no longer help the reader

} // namespace

std::string nearest_name(std::string_view name, std::span<const std::string> choices) {
  std::string best;
  std::size_t best_distance = std::max<std::size_t>(2, name.size() / 3) + 1;
  for (const std::string& choice : choices) {
    const std::size_t distance = edit_distance(name, choice);
    if (distance < best_distance && distance < choice.size()) {
      best_distance = distance;
      best = choice;
    }
  }
  return best;
}

std::string unknown_name(std::string_view kind, std::string_view name,
                         std::span<const std::string> choices, std::string_view all_by) {
  std::string text = "unknown " + std::string(kind) + " '" + std::string(name) + "'";
  if (const std::string near = nearest_name(name, choices); !near.empty())
    text += "; did you mean '" + near + "'?";
  text += " (valid: ";
  for (std::size_t i = 0; i < std::min(choices.size(), most_listed); ++i)
    text += (i ? ", " : "") + choices[i];
  if (choices.size() > most_listed)
    text += ", … " + std::to_string(choices.size() - most_listed) + " more" +
            (all_by.empty() ? "" : "; '" + std::string(all_by) + "' lists all");
  return text + (choices.empty() ? "none)" : ")");
}

} // namespace gridsmith
