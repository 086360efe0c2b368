// SPDX-License-Identifier: Apache-2.0
// An expression of a definition as C++ over the Numbers of a generated header, which know when they
// do not know: where 64 bits do not hold what the interpreter computes, or nothing can be computed,
// the code says so. Wherever it gives a number, it is the interpreter's.
#pragma once

#include "gridsmith/base/expression/expression.hpp"

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace gridsmith {

/// What a name of an expression is in C++.
struct CodeName {
  std::string code; ///< a Number; of a text what is compared with its enumerators
  /// Of a text: the enumerator of each of its values.
  std::map<std::string, std::string> enumerators = {};
};

/// What a name means; nullptr where it is unknown.
using CodeNames = std::function<const CodeName*(std::string_view name)>;

/// @throws InputError naming the expression, the column and what cannot be written as C++: texts
/// other than compared by == != in, a name that is unknown.
std::string expression_code(const Expression& expression, const CodeNames& names);

} // namespace gridsmith
