// SPDX-License-Identifier: Apache-2.0
// From terms to a program: each is computed at the level where the last variable that it reads is
// assigned.
#pragma once

#include "gridsmith/search/compile/compiler.hpp"
#include "gridsmith/search/compile/order.hpp"
#include "gridsmith/search/compile/program.hpp"

#include <span>
#include <vector>

namespace gridsmith::detail {

/// @param values the values of a variable that are not out already: positions, by TermId
/// @param prune also check what must hold earlier for a conjunct to become true (relax.hpp)
Program lower(const ConstraintCompiler& compiler, const Group& group,
              std::span<const std::vector<Position>> values, bool prune);

} // namespace gridsmith::detail
