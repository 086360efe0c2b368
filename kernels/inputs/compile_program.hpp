// SPDX-License-Identifier: Apache-2.0
// An expression of an element's index as a program that host and device run alike.
#pragma once

#include "gridsmith/base/expression/expression.hpp"
#include "gridsmith/search/formula/formula.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace gridsmith {

/// The name of the element's index in an expression.
constexpr std::string_view index_name = "i";
/// Extents without names of their own are ProblemSize[0], …
inline const std::string extents_name = "ProblemSize";

/// @param lookup all other names @param vectors whose elements it may read; the program knows them by their places.
/// @throws InputError with the column: a text, an unknown name, a sum, an expression that is too long or nests too deep.
std::vector<FormulaStep> compile_program(const Expression& expression, const Lookup& lookup,
                                         std::vector<FormulaVector> vectors = {});

} // namespace gridsmith
