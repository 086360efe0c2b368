// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/results/measurement/failures.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

namespace gridsmith {

std::vector<FailureGroup> failure_groups(const std::vector<Measurement>& measurements) {
  std::vector<FailureGroup> groups;
  std::map<std::pair<Status, std::string>, std::size_t> place;
  for (const Measurement& one : measurements) {
    if (one.correct())
      continue;
    std::string reason = one.reason.substr(0, one.reason.find('\n'));
    const auto [at, added] = place.emplace(std::pair(one.status, reason), groups.size());
    if (added)
      groups.push_back({one.status, std::move(reason), 0, &one});
    ++groups[at->second].count;
  }
  std::stable_sort(groups.begin(), groups.end(),
                   [](const auto& a, const auto& b) { return a.count > b.count; });
  return groups;
}

std::vector<Measurement> failed_finals(const Answer& answer, const std::vector<Measurement>& rows) {
  std::vector<Measurement> failed;
  for (const Ranked& ranked : answer.ranking)
    for (const Measurement& row : rows)
      if (!row.correct() && row.configuration == ranked.measurement.configuration)
        failed.push_back(row);
  return failed;
}

std::string not_confirmed_because(const Answer& answer, const std::vector<Measurement>& rows,
                                  const Board& board) {
  if (!answer.found_by.unconfirmed)
    return "";
  const std::vector<Measurement> failed = failed_finals(answer, rows);
  if (failed.empty() && !answer.ranking.empty())
    if (const auto doubt =
            rate_doubt(answer.ranking.front().measurement, board, answer.found_by.workload))
      return to_text(*doubt) + ", and its outputs were not compared after timing";
  std::string text = fmt::format(
      "none of the {} finalists gave a correct result when measured again", answer.ranking.size());
  std::string reasons;
  for (const FailureGroup& group : failure_groups(failed))
    reasons += fmt::format("{}{} × {}: {}", reasons.empty() ? "" : "; ", group.count,
                           to_text(group.status), group.reason);
  return reasons.empty() ? text : text + " (" + reasons + ")";
}

} // namespace gridsmith
