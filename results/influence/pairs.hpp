// SPDX-License-Identifier: Apache-2.0
// Configurations that differ in one parameter alone: what tells its effect without a model.
#pragma once

#include "gridsmith/results/measurement/measurement.hpp"

#include <cstddef>
#include <map>
#include <utility>
#include <vector>

namespace gridsmith {

/// The place of its value in each row; that of no value, past the last, where a row lacks it.
std::vector<std::size_t> places_of(const Parameter& parameter,
                                   const std::vector<const Measurement*>& rows);

using RowPair = std::pair<std::size_t, std::size_t>;
/// Two places of values, the lower first -> rows that differ in nothing else, in that order.
using Pairs = std::map<std::pair<std::size_t, std::size_t>, std::vector<RowPair>>;

/// @param places as places_of() has them
Pairs pairs_of(const Parameter& parameter, const std::vector<std::size_t>& places,
               const std::vector<const Measurement*>& rows);

} // namespace gridsmith
