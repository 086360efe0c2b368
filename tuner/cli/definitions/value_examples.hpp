// SPDX-License-Identifier: Apache-2.0
// Which values some configuration has, with one that does, and which none has.
#pragma once

#include "gridsmith/kernels/definition/instance.hpp"

#include <nlohmann/json_fwd.hpp>

#include <string>
#include <utility>
#include <vector>

namespace gridsmith {

using NamedValue = std::pair<std::string, Value>;

bool has(const Configuration& configuration, const NamedValue& wanted);

struct ValueExamples {
  std::vector<Configuration> configurations;
  std::vector<NamedValue> absent; ///< those of the values asked for that none of them has
};

/// A random part of the space, and one with each of the values that no other of them has; absent is what no
/// configuration has. Exact: a value that the random part lacks is looked for in the space of what has it. The same for
/// the same space. @throws as SearchSpace::build
ValueExamples examples_of(const KernelInstance& instance, const SearchSpace& space,
                          const std::vector<NamedValue>& values, const SpaceWatch& watch = {});

/// Of the definition's own parameters, not of automatic ones. @throws likewise
std::vector<NamedValue> absent_values(const KernelInstance& instance, const SearchSpace& space,
                                      const SpaceWatch& watch = {});

/// "WGSIZE=96, 192; TILE=7". @pre values of one parameter stand side by side
std::string grouped_text(const std::vector<NamedValue>& values);
/// {"WGSIZE": [96, 192]}
nlohmann::json grouped_json(const std::vector<NamedValue>& values);

} // namespace gridsmith
