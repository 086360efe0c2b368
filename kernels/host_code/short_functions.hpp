// SPDX-License-Identifier: Apache-2.0
// Functions of a source that are one expression: `int blocks(int n) { return (n + 255) / 256; }`, a lambda, a macro.
#pragma once

#include "gridsmith/kernels/syntax/tokens.hpp"

#include <span>
#include <string_view>
#include <vector>

namespace gridsmith {

struct ShortFunction {
  struct Parameter {
    std::string_view name;
    bool real = false; ///< a float or a double
  };

  std::vector<Parameter> parameters;
  Tokens body; ///< what it returns
};

/// All of this name, in order.
std::vector<ShortFunction> short_functions(const Tokens& tokens, std::string_view name);

/// The body with these, each in brackets, in the places of the parameters. @pre as many as there are parameters
Tokens body_with(const ShortFunction& function, std::span<const std::span<const Token>> arguments);

} // namespace gridsmith
