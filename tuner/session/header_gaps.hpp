// SPDX-License-Identifier: Apache-2.0
// What a campaign measures for the header of its sizes alone, and what that header loses.
#pragma once

#include "gridsmith/results/selection/selection.hpp"
#include "gridsmith/search/space/space.hpp"
#include "gridsmith/tuner/session/session.hpp"

#include <optional>
#include <span>
#include <vector>

namespace gridsmith {

/// What a header of these recordings would have to know and does not (gaps() of results/selection), as
/// places in the space of each. Nothing where nothing can be shipped.
/// @param spaces one per recording
/// @param objective that it chooses by
std::vector<std::vector<ConfigurationId>> header_gaps(std::span<const Recording> recordings,
                                                      std::span<const SearchSpace* const> spaces,
                                                      const KernelDefinition& definition,
                                                      const Objective& objective);

/// What a header of these recordings ships by an objective; none: nothing can be shipped.
std::optional<Selection> header_set(std::span<const Recording> recordings,
                                    const KernelDefinition& definition, const Objective& objective);
/// The configuration that it chooses at a problem; none: nothing of it is valid there.
std::optional<Configuration> header_choice(const Selection& set, const KernelDefinition& definition,
                                           const ProblemSize& problem);

/// doubt() of results/selection at a problem.
double header_doubt(const Selection& set, const KernelDefinition& definition,
                    const ProblemSize& problem);

/// What headers of the outcomes lose at those that were drawn, one for each kernel and device that has some; none where
/// nothing can be shipped.
std::vector<Calibration> calibrations_of(std::span<const Outcome> outcomes);

} // namespace gridsmith
