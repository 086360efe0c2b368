// SPDX-License-Identifier: Apache-2.0
// Comparisons of sides that only grow or only shrink with a variable: the values that they allow
// stand in one row of the list, whose ends are bisected instead of trying value after value.
#pragma once

#include "gridsmith/search/compile/program.hpp"

namespace gridsmith::detail {

/// How a result moves as a variable grows.
enum class Direction { constant, rising, falling, unknown };

/// As the variable of a level grows and the earlier ones stay.
Direction direction_of(const ProgramBuilder& builder, Slot slot, int level);

/// For what a level requires, where its variable has many values, in ascending order.
void add_bisections(ProgramBuilder& builder, int level);

} // namespace gridsmith::detail
