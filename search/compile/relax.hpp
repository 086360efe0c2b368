// SPDX-License-Identifier: Apache-2.0
// What a conjunct needs before all that it reads is known: its relaxation to the variables assigned
// so far, so that a search turns back early. Bounds of the unknown parts take their places.
#pragma once

#include "gridsmith/search/compile/program.hpp"

#include <optional>
#include <span>

namespace gridsmith::detail {

/// What must be true at `level` so that `slot` can still become true; nothing where that is not
/// known or always so.
std::optional<Slot> relax(ProgramBuilder& builder, Slot slot, int level);

/// For every conjunct and every level before its last that assigns something it reads: requires the
/// relaxation, where there is one.
void add_relaxations(ProgramBuilder& builder, std::span<const Requirement> required);

} // namespace gridsmith::detail
