// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/search/strategies/metaheuristics/population.hpp"

#include "gridsmith/search/space/neighbours.hpp"

#include <algorithm>

namespace gridsmith {
namespace {

constexpr std::size_t handful = 4; // differences of two pairs need four

bool cheaper(const Member& a, const Member& b) {
  return a.cost < b.cost;
}

} // namespace

bool Population::ready() const {
  return members_.size() >= size_ || (answers_ >= 3 * size_ && members_.size() >= handful);
}

bool Population::holds(ConfigurationId id) const {
  return std::any_of(members_.begin(), members_.end(),
                     [id](const Member& m) { return m.id == id; });
}

bool Population::add(ConfigurationId id, double cost) {
  ++answers_;
  if (cost == failed_cost || holds(id))
    return false;
  if (members_.size() < size_) {
    members_.push_back({id, positions_of(*space_, id), cost});
    return true;
  }
  return replace(worst(), id, cost);
}

bool Population::replace(std::size_t place, ConfigurationId id, double cost) {
  if (!(cost < members_[place].cost) || holds(id))
    return false;
  members_[place] = {id, positions_of(*space_, id), cost};
  return true;
}

std::size_t Population::best() const {
  return static_cast<std::size_t>(std::min_element(members_.begin(), members_.end(), cheaper) -
                                  members_.begin());
}

std::size_t Population::worst() const {
  return static_cast<std::size_t>(std::max_element(members_.begin(), members_.end(), cheaper) -
                                  members_.begin());
}

std::size_t Population::tournament(std::size_t rivals, Random& random) const {
  std::size_t winner = below(random, members_.size());
  for (std::size_t rival = 1; rival < rivals; ++rival) {
    const std::size_t other = below(random, members_.size());
    if (cheaper(members_[other], members_[winner]))
      winner = other;
  }
  return winner;
}

} // namespace gridsmith
