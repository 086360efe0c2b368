#include "gridsmith/search/strategies/common.hpp"

#include <algorithm>
#include <cmath>

namespace gridsmith {
namespace {

constexpr std::size_t most_prior = 10;       // starts taken from a prior before it must pay
constexpr std::size_t most_known_steps = 64; // steps over known ground before a uniform draw
constexpr std::uint64_t reserved = 256;      // a usual budget fits without rehashing

double cost_of(const Observation& observation) {
  if (observation.valid && std::isfinite(observation.cost))
    return observation.cost;
  return failed_cost;
}

/// Best of the prior that lie in the space, the most promising last.
std::vector<ConfigurationId> prior_starts(const SearchProblem& problem) {
  std::vector<std::pair<double, ConfigurationId>> known;
  for (const Observation& observation : problem.prior)
    if (observation.valid && std::isfinite(observation.cost) &&
        observation.id < problem.space.size())
      known.emplace_back(observation.cost, observation.id);
  std::sort(known.begin(), known.end());
  known.resize(std::min(known.size(), most_prior));
  std::vector<ConfigurationId> ids;
  for (auto entry = known.rbegin(); entry != known.rend(); ++entry)
    ids.push_back(entry->second);
  return ids;
}

} // namespace

ProposingStrategy::ProposingStrategy(const SearchProblem& problem)
    : problem_(problem), random_(problem.seed), size_(problem.space.size()), unasked_(size_),
      prior_(prior_starts(problem)) {
  costs_.reserve(std::min(size_, reserved));
}

bool ProposingStrategy::take(ConfigurationId id, std::vector<ConfigurationId>& out) {
  if (id >= size_ || !costs_.emplace(id, std::numeric_limits<double>::quiet_NaN()).second)
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
  for (const Observation& observation : observations) {
    const auto entry = costs_.find(observation.id);
    if (entry != costs_.end())
      entry->second = cost_of(observation);
  }
  const bool tidy = std::all_of(observations.begin(), observations.end(), [](const Observation& o) {
    return !o.valid || std::isfinite(o.cost);
  });
  if (tidy)
    return learn(observations);
  std::vector<Observation> tidied(observations.begin(), observations.end());
  for (Observation& observation : tidied)
    observation.valid = observation.valid && std::isfinite(observation.cost);
  learn(tidied);
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
    for (const ConfigurationId id : foresee(count))
      add(id);
  return out;
}

std::optional<double> ProposingStrategy::cost(ConfigurationId id) const {
  const auto entry = costs_.find(id);
  if (entry == costs_.end() || std::isnan(entry->second))
    return std::nullopt;
  return entry->second;
}

ConfigurationId ProposingStrategy::draw() {
  for (;;) {
    if (unasked_.left() == 0)
      unasked_ = LazyShuffle(size_); // some were drawn and not asked
    const ConfigurationId id = unasked_.draw(random_);
    if (!asked(id))
      return id;
  }
}

ConfigurationId ProposingStrategy::start() {
  while (!prior_.empty()) {
    const ConfigurationId id = prior_.back();
    prior_.pop_back();
    if (!asked(id))
      return id;
  }
  return draw();
}

std::optional<ConfigurationId>
SteppingStrategy::next_unknown(const std::vector<ConfigurationId>& wished) {
  for (std::size_t tried = 0; tried < most_known_steps; ++tried) {
    const Candidate candidate = step();
    if (const auto known = cost(candidate.id)) {
      answer(candidate, *known);
    } else if (!asked(candidate.id) &&
               std::find(wished.begin(), wished.end(), candidate.id) == wished.end()) {
      purposes_[candidate.id] = candidate.purpose;
      return candidate.id;
    }
  }
  return std::nullopt;
}

std::vector<ConfigurationId> SteppingStrategy::propose(std::size_t count) {
  std::vector<ConfigurationId> wished;
  count = std::min(count, std::max<std::size_t>(1, batch()));
  while (wished.size() < count && wished.size() < unasked_count()) {
    const auto id = next_unknown(wished);
    if (!id)
      break;
    wished.push_back(*id);
  }
  return wished;
}

void SteppingStrategy::learn(std::span<const Observation> observations) {
  for (const Observation& observation : observations) {
    Candidate candidate{observation.id, no_purpose};
    if (const auto wish = purposes_.extract(observation.id))
      candidate.purpose = wish.mapped();
    answer(candidate, cost_of(observation));
  }
}

std::vector<Position> positions_of(const SearchSpace& space, ConfigurationId id) {
  std::vector<Position> positions(space.parameters().size());
  space.positions(id, positions);
  return positions;
}

ConfigurationId repair(const SearchSpace& space, std::vector<Position> wish, ConfigurationId anchor,
                       Random& random) {
  if (const auto id = space.find(wish))
    return *id;
  const std::vector<Position> safe = positions_of(space, anchor);
  std::vector<std::size_t> differing;
  for (std::size_t p = 0; p < wish.size(); ++p)
    if (wish[p] != safe[p])
      differing.push_back(p);
  while (!differing.empty()) {
    const std::size_t pick = below(random, differing.size());
    const std::size_t p = differing[pick];
    differing[pick] = differing.back();
    differing.pop_back();
    wish[p] = safe[p];
    if (const auto id = space.find(wish))
      return *id;
  }
  return anchor;
}

std::optional<ConfigurationId> random_neighbour(const SearchSpace& space, ConfigurationId id,
                                                Neighbourhood kind, Random& random,
                                                std::size_t tries) {
  const std::vector<Position> here = positions_of(space, id);
  std::vector<std::size_t> free;
  for (std::size_t p = 0; p < here.size(); ++p)
    if (space.parameters()[p].values.size() > 1)
      free.push_back(p);
  for (std::size_t tried = 0; tried < tries && !free.empty(); ++tried) {
    std::vector<Position> there = here;
    const std::size_t p = free[below(random, free.size())];
    const std::size_t count = space.parameters()[p].values.size();
    if (kind == Neighbourhood::hamming) {
      const std::size_t other = below(random, count - 1);
      there[p] = static_cast<Position>(other < here[p] ? other : other + 1);
    } else {
      const bool up = here[p] == 0 || (here[p] + 1u < count && below(random, 2) == 1);
      there[p] = static_cast<Position>(up ? here[p] + 1 : here[p] - 1);
    }
    if (const auto neighbour = space.find(there))
      return neighbour;
  }
  return std::nullopt;
}

std::vector<ConfigurationId> mixed_neighbours(const SearchSpace& space, ConfigurationId id,
                                              Random& random) {
  std::vector<Position> there = positions_of(space, id);
  std::vector<std::vector<ConfigurationId>> groups; // one per parameter that has any
  for (std::size_t p = 0; p < there.size(); ++p) {
    const Position here = there[p];
    std::vector<ConfigurationId> group;
    for (std::size_t value = 0; value < space.parameters()[p].values.size(); ++value) {
      there[p] = static_cast<Position>(value);
      if (there[p] != here)
        if (const auto neighbour = space.find(there))
          group.push_back(*neighbour);
    }
    there[p] = here;
    if (!group.empty())
      groups.push_back(std::move(group));
  }
  std::vector<ConfigurationId> mixed;
  while (!groups.empty()) {
    auto& group = groups[below(random, groups.size())];
    std::swap(group[below(random, group.size())], group.back());
    mixed.push_back(group.back());
    group.pop_back();
    if (group.empty()) {
      std::swap(group, groups.back());
      groups.pop_back();
    }
  }
  return mixed;
}

} // namespace gridsmith
