#include "gridsmith/results/measurement/failures.hpp"

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

} // namespace gridsmith
