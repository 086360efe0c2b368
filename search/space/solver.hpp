// Finds all configurations that satisfy a set of constraints, and keeps them as a graph.
#pragma once

#include "gridsmith/search/space/space.hpp"
#include "gridsmith/search/space/graph.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace gridsmith::detail {

struct SolveOptions {
  bool only_constrained = false; ///< leave out the parameters that no constraint reads
  bool exists_only = false;      ///< stop at the first configuration; the count is 0 or more
  bool look_for_trouble = false; ///< miss no configuration for which a constraint has no answer
};

struct Solution {
  ConfigurationGraph graph;
  double product = 1;                  ///< of all values of the parameters that have a level
  bool trouble = false;                ///< a constraint had no answer somewhere
  bool fallible = false;               ///< a constraint might have no answer
  std::vector<std::uint32_t> to_blame; ///< when nothing is left: constraints that it is due to
};

/// @param chosen indices of the constraints that count
/// @throws InputError for an unknown name, a parameter named twice, a wrong type
Solution solve(const std::vector<Parameter>& parameters, const std::vector<Constraint>& constraints,
               std::span<const std::uint32_t> chosen, const Bindings& facts,
               SolveOptions options = {});

} // namespace gridsmith::detail
