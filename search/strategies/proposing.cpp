// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/search/strategies/proposing.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace gridsmith {
namespace {

constexpr std::size_t most_starts = 10; // taken from a transfer prior before it must pay
constexpr std::uint64_t reserved = 256; // a usual budget fits without rehashing

bool ran(const Observation& observation) {
  return observation.cost && std::isfinite(*observation.cost);
}

/// Best of the transfer prior that lie in the space, the most promising last.
std::vector<ConfigurationId> transferred_starts(const SearchProblem& problem) {
  std::vector<std::pair<double, ConfigurationId>> known;
  for (const Observation& observation : problem.transfer_prior)
    if (ran(observation) && observation.id < problem.space.size())
      known.emplace_back(*observation.cost, observation.id);
  std::sort(known.begin(), known.end());
  known.resize(std::min(known.size(), most_starts));
  std::vector<ConfigurationId> ids;
  for (auto entry = known.rbegin(); entry != known.rend(); ++entry)
    ids.push_back(entry->second);
  return ids;
}

} // namespace

ProposingStrategy::ProposingStrategy(const SearchProblem& problem)
    : problem_(problem), random_(problem.seed), size_(problem.space.size()), unasked_(size_),
      starts_(transferred_starts(problem)) {
  costs_.reserve(std::min(size_, reserved));
}

bool ProposingStrategy::take(ConfigurationId id, std::vector<ConfigurationId>& out) {
  if (id >= size_ || !costs_.emplace(id, std::nullopt).second)
    return false;
  out.push_back(id);
  return true;
}

void ProposingStrategy::take_seeds(std::size_t count, std::vector<ConfigurationId>& out) {
  while (out.size() < count && next_seed_ < problem_.seeds.size())
    take(problem_.seeds[next_seed_++], out);
}

std::vector<ConfigurationId> ProposingStrategy::ask(std::size_t count) {
  std::vector<ConfigurationId> out;
  if (count == 0 || unasked_count() == 0)
    return out;
  take_seeds(count, out);
  if (!out.empty() || unasked_count() == 0)
    return out; // seeds on their own: what follows may learn from them
  for (const ConfigurationId id : propose(count)) {
    if (out.size() == count)
      break;
    take(id, out);
  }
  while (out.empty())
    take(draw(), out);
  return out;
}

void ProposingStrategy::tell(std::span<const Observation> observations) {
  std::vector<Observation> news;
  for (const Observation& observation : observations) {
    if (observation.id >= size_ || cost(observation.id))
      continue; // told before
    news.push_back(observation);
    if (!ran(observation))
      news.back().cost.reset();
    costs_[observation.id] = news.back().cost.value_or(failed_cost);
  }
  if (!news.empty())
    learn(news);
}

void ProposingStrategy::withdraw(ConfigurationId id) {
  const auto entry = costs_.find(id);
  if (entry == costs_.end() || entry->second)
    return;
  costs_.erase(entry);
  unlearn(id);
}

std::vector<ConfigurationId> ProposingStrategy::likely(std::size_t count) const {
  std::vector<ConfigurationId> out;
  const auto add = [&](ConfigurationId id) {
    if (out.size() < count && id < size_ && !asked(id) &&
        std::find(out.begin(), out.end(), id) == out.end())
      out.push_back(id);
  };
  for (std::size_t seed = next_seed_; seed < problem_.seeds.size(); ++seed)
    add(problem_.seeds[seed]);
  if (out.size() < count)
    for (const ConfigurationId id : likely_next(count))
      add(id);
  return out;
}

std::optional<double> ProposingStrategy::cost(ConfigurationId id) const {
  const auto entry = costs_.find(id);
  return entry == costs_.end() ? std::nullopt : entry->second;
}

ConfigurationId ProposingStrategy::draw() {
  for (;;) {
    if (unasked_.left() == 0)
      unasked_ = LazyShuffle(size_); // some were drawn and not asked, or withdrawn
    const ConfigurationId id = unasked_.draw(random_);
    if (!asked(id))
      return id;
  }
}

ConfigurationId ProposingStrategy::start() {
  while (!starts_.empty()) {
    const ConfigurationId id = starts_.back();
    starts_.pop_back();
    if (!asked(id))
      return id;
  }
  return draw();
}

} // namespace gridsmith
