// SPDX-License-Identifier: Apache-2.0
// Why configurations are not in a space: what each constraint removes, which constraints conflict,
// what is wrong with one configuration.
#pragma once

#include "gridsmith/search/space/solver.hpp"
#include "gridsmith/search/space/space.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace gridsmith::detail {

/// One entry per constraint: each is solved alone, over its own parameters.
std::vector<ConstraintReport> report_of(const SpaceDefinition& definition, const SpaceWatch& watch);

/// A conflict set without superfluous members. @param conflict constraints that cannot all hold
std::vector<std::string> smallest_conflict(const SpaceDefinition& definition,
                                           std::vector<std::uint32_t> conflict,
                                           const SpaceWatch& watch);

/// One line per reason; empty when the constraints allow the configuration.
std::vector<std::string> why_not(const SpaceDefinition& definition,
                                 const Configuration& configuration);

} // namespace gridsmith::detail
