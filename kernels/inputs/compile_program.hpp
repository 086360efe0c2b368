// SPDX-License-Identifier: Apache-2.0
// An expression of an element's index as a program that host and device run alike.
#pragma once

#include "gridsmith/base/expression/expression.hpp"
#include "gridsmith/search/formula/formula_program.hpp"

#include <string_view>
#include <vector>

namespace gridsmith {

/// The name of the element's index in an expression.
constexpr std::string_view index_name = "i";

/// @param lookup all other names. @throws InputError with the column: a text, an unknown name, what
/// is not exact (log2, ** by anything but a whole number of at most 64), an expression that is too
/// long or nests too deep.
std::vector<FormulaStep> compile_program(const Expression& expression, const Lookup& lookup);

} // namespace gridsmith
