// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/search/space/neighbours.hpp"

#include <utility>

namespace gridsmith {

std::vector<Position> positions_of(const SearchSpace& space, ConfigurationId id) {
  std::vector<Position> positions(space.parameters().size());
  space.positions(id, positions);
  return positions;
}

ConfigurationId repair(const SearchSpace& space, std::vector<Position> place,
                       ConfigurationId anchor, Random& random) {
  if (const auto id = space.find(place))
    return *id;
  const std::vector<Position> safe = positions_of(space, anchor);
  std::vector<std::size_t> differing;
  for (std::size_t p = 0; p < place.size(); ++p)
    if (place[p] != safe[p])
      differing.push_back(p);
  while (!differing.empty()) {
    const std::size_t pick = below(random, differing.size());
    const std::size_t p = differing[pick];
    differing[pick] = differing.back();
    differing.pop_back();
    place[p] = safe[p];
    if (const auto id = space.find(place))
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
