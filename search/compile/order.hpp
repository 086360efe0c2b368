// SPDX-License-Identifier: Apache-2.0
// In which order the variables of a group are assigned: the fewer partial configurations differ in
// what the rest depends on, the fewer are looked at.
#pragma once

#include "gridsmith/search/compile/compiler.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace gridsmith::detail {

/// Parameters that constraints tie together, and the conjuncts that do it.
struct Group {
  std::vector<TermId> variables; ///< in the order of the parameters, then in the order chosen
  std::vector<TermId> roots;     ///< of the conjuncts
};

/// Sorts group.variables. @param domain how many values each variable (by TermId) has left
void choose_order(const TermTable& terms, Group& group, std::span<const std::uint32_t> domain);

} // namespace gridsmith::detail
