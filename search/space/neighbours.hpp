// SPDX-License-Identifier: Apache-2.0
// Single steps through a space, drawn at random, for searches that move from one configuration to
// the next. All of them stay in the space.
#pragma once

#include "gridsmith/search/space/space.hpp"

#include <cstddef>
#include <optional>
#include <vector>

namespace gridsmith {

/// Value positions of a configuration, one per parameter.
std::vector<Position> positions_of(const SearchSpace& space, ConfigurationId id);

/// A uniform try for a neighbour: one parameter to another value (hamming) or to the next or the
/// previous one (adjacent). Nothing when `tries` tries all left the space. O(1) per try.
std::optional<ConfigurationId> random_neighbour(const SearchSpace& space, ConfigurationId id,
                                                Neighbourhood kind, Random& random,
                                                std::size_t tries = 32);

/// All configurations that differ in one parameter, in random order, every parameter having the
/// same chance to be next: one with two values matters as much as one with thirty.
std::vector<ConfigurationId> mixed_neighbours(const SearchSpace& space, ConfigurationId id,
                                              Random& random);

/// A configuration whose positions are near `place` and which is in the space: `place` itself, or
/// what is met first on the way from it to `anchor`, parameters taken over from the anchor in
/// random order; the anchor itself at the latest.
ConfigurationId repair(const SearchSpace& space, std::vector<Position> place,
                       ConfigurationId anchor, Random& random);

} // namespace gridsmith
