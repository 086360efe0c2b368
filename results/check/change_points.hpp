// SPDX-License-Identifier: Apache-2.0
// Where a series changes its level: for drifts too small for any single check to call.
//
// E-divisive (Matteson and James, Journal of the American Statistical Association 109, 2014): the split
// whose two parts lie furthest apart by energy distance, then the same within the parts; what counts is
// found by permuting, and each permutation comes from one seed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace gridsmith {

struct ChangePoint {
  std::size_t at = 0;           ///< the first value of the new level
  double before = 0, after = 0; ///< medians of the parts on both sides
  double chance = 1;            ///< that values in any order look so, by permutations
};

struct ChangePointRules {
  double error = 0.01;      ///< chance above which a split is none
  std::size_t shortest = 4; ///< values of a part
  std::size_t permutations = 499;
  std::uint64_t seed = 1;
  /// Parts whose medians differ by less are one: |after - before|.
  double least = 0.003;
};

/// By place. @param values in time's order
std::vector<ChangePoint> change_points(std::span<const double> values,
                                       const ChangePointRules& rules = {});

} // namespace gridsmith
