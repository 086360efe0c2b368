// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/search/strategies/metaheuristics/stepping.hpp"

#include <algorithm>

namespace gridsmith {
namespace {

constexpr std::size_t most_known_steps = 64; // steps over known ground before a uniform draw

} // namespace

std::optional<ConfigurationId>
SteppingStrategy::next_unknown(const std::vector<ConfigurationId>& proposed) {
  for (std::size_t tried = 0; tried < most_known_steps; ++tried) {
    const Attempt candidate = step();
    if (const auto known = cost(candidate.id)) {
      answer(candidate, *known);
    } else if (!asked(candidate.id) &&
               std::find(proposed.begin(), proposed.end(), candidate.id) == proposed.end()) {
      roles_[candidate.id] = candidate.role;
      return candidate.id;
    }
  }
  return std::nullopt;
}

std::vector<ConfigurationId> SteppingStrategy::propose(std::size_t count) {
  std::vector<ConfigurationId> proposed;
  count = std::min(count, std::max<std::size_t>(1, batch()));
  while (proposed.size() < count && proposed.size() < unasked_count()) {
    const auto id = next_unknown(proposed);
    if (!id)
      break;
    proposed.push_back(*id);
  }
  return proposed;
}

void SteppingStrategy::learn(std::span<const Observation> observations) {
  for (const Observation& observation : observations) {
    Attempt candidate{observation.id};
    if (const auto pending = roles_.extract(observation.id))
      candidate.role = pending.mapped();
    answer(candidate, observation.cost.value_or(failed_cost));
  }
}

} // namespace gridsmith
