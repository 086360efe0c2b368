// SPDX-License-Identifier: Apache-2.0
// Parameters whose values all gave the same launch: the same machine code with the same geometry. Said only
// of what was seen, pair by pair. Pure functions.
#pragma once

#include "gridsmith/results/measurement/measurement.hpp"
#include "gridsmith/search/space/space.hpp"

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace gridsmith {

/// A configuration, and what it launched: equal texts for the same code and geometry. "": not known.
struct Launched {
  Configuration configuration;
  std::string as;
};

struct NoEffect {
  std::string parameter;
  std::size_t pairs = 0; ///< of configurations that differ in it alone
};

/// Parameters with several values of which each was seen in some pair, and every pair of configurations
/// that differ in it alone launched the same. One pair in which they did not, or in which that is not
/// known, and it is not named. Pairs of which neither was launched do not count.
std::vector<NoEffect> without_effect(const std::vector<Parameter>& parameters,
                                     std::span<const Launched> launched);

/// Of measurements: what shares its machine code with another says so. Twins that were measured apart
/// (another day, another GPU) count as different: nothing is said then.
std::vector<NoEffect> without_effect(const std::vector<Parameter>& parameters,
                                     std::span<const Measurement> measurements);

/// "TILE has no effect: all 48 pairs of launched configurations that differ in it alone have the same machine code
/// and launch"
std::string to_text(const NoEffect& one);

} // namespace gridsmith
