// SPDX-License-Identifier: Apache-2.0
// Fewer registers for a program: those that are never needed at once become one. Not for use outside
// search/formula.
#pragma once

#include "gridsmith/search/formula/formula_program.hpp"

#include <cstdint>
#include <vector>

namespace gridsmith::detail {

/// @param code without its constants @param registers how many it has @return how many it has then
std::uint32_t share_registers(std::vector<FormulaStep>& code, std::uint32_t registers);

} // namespace gridsmith::detail
