// SPDX-License-Identifier: Apache-2.0
// Finds all configurations that satisfy a set of constraints, and keeps them as a graph.
#pragma once

#include "gridsmith/search/compile/constraint.hpp"
#include "gridsmith/search/space/graph.hpp"
#include "gridsmith/search/space/space.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace gridsmith::detail {

/// What a space is made from.
struct SpaceDefinition {
  std::vector<Parameter> parameters;
  std::vector<Constraint> constraints;
  Bindings facts;
};

struct SolveOptions {
  /// Leave out the parameters that no constraint reads, and take what has no answer because a
  /// number is too large as satisfied: the constraints are not all that there are.
  bool only_constrained = false;
  bool exists_only = false;    ///< stop at the first configuration; the count is 0 or more
  bool find_undefined = false; ///< miss no configuration for which a constraint is undefined
};

struct Solution {
  ConfigurationGraph graph;
  double product = 1;         ///< of all values of the parameters that have a level
  bool met_undefined = false; ///< a constraint was undefined somewhere
  bool fallible = false;      ///< a constraint might be undefined
  /// When nothing is left: constraints that cannot all hold, not the fewest such.
  std::vector<std::uint32_t> conflict;
};

/// @param chosen indices of the constraints that count
/// @throws InputError for an unknown name, a parameter named twice, a wrong type; NumberTooLarge;
/// SpaceNotBuilt
Solution solve(const SpaceDefinition& definition, std::span<const std::uint32_t> chosen,
               const SpaceWatch& watch, SolveOptions options = {});

} // namespace gridsmith::detail
