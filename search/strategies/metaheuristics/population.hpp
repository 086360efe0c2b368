// SPDX-License-Identifier: Apache-2.0
// The best configurations so far that the population strategies breed from: correct ones only, no
// two the same.
#pragma once

#include "gridsmith/search/strategies/proposing.hpp"

#include <cstddef>
#include <vector>

namespace gridsmith {

struct Member {
  ConfigurationId id = 0;
  std::vector<Position> positions;
  double cost = failed_cost;
};

class Population {
public:
  Population(const SearchSpace& space, std::size_t size) : space_(&space), size_(size) {}

  /// Large enough to breed from: full, or, where most of the space fails, a handful after three
  /// times as many answers.
  bool ready() const;
  /// A newcomer takes a free place, or that of the worst when it is better. False when it found no
  /// place.
  bool add(ConfigurationId id, double cost);
  /// Puts a better one in the place of a member, unless it is there already. @pre place < size
  bool replace(std::size_t place, ConfigurationId id, double cost);

  const std::vector<Member>& members() const { return members_; }

  std::size_t best() const;
  std::size_t worst() const;
  /// The better of `rivals` members drawn at random. @pre not empty
  std::size_t tournament(std::size_t rivals, Random& random) const;

private:
  bool holds(ConfigurationId id) const;

  const SearchSpace* space_;
  std::size_t size_;
  std::size_t answers_ = 0;
  std::vector<Member> members_;
};

} // namespace gridsmith
