// SPDX-License-Identifier: Apache-2.0
// What a campaign measures for the header of its sizes alone.
#pragma once

#include "gridsmith/kernels/definition/definition.hpp"
#include "gridsmith/results/measurement/recording.hpp"
#include "gridsmith/search/space/space.hpp"

#include <span>
#include <vector>

namespace gridsmith {

/// What a header of these recordings would have to know and does not (gaps() of results/selection), as
/// places in the space of each. Nothing where nothing can be shipped.
/// @param spaces one per recording
std::vector<std::vector<ConfigurationId>> header_gaps(std::span<const Recording> recordings,
                                                      std::span<const SearchSpace* const> spaces,
                                                      const KernelDefinition& definition);

} // namespace gridsmith
