// SPDX-License-Identifier: Apache-2.0
// Whether something that is shipped is valid at sizes around those of the table, where nothing was measured.
#pragma once

#include "gridsmith/results/selection/size_table.hpp"

#include <vector>

namespace gridsmith {

/// The set, and what else of the table has to be shipped so that one is valid at every probe where any that is
/// shippable is. Of these what is predicted to be fast at most of the probes that nothing else serves.
/// @param set of the table
std::vector<std::size_t> covering(const SizeTable& table, std::vector<std::size_t> set);

/// Probes where nothing is valid that is measured and may be shipped.
std::vector<ProblemSize> uncovered(const SizeTable& table);

} // namespace gridsmith
