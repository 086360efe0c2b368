// SPDX-License-Identifier: Apache-2.0
// The __constant__ variables of a source, which the host fills.
#pragma once

#include "gridsmith/kernels/syntax/tokens.hpp"

#include <set>
#include <span>
#include <string>
#include <vector>

namespace gridsmith {

/// `__constant__ float taps[2 * R + 1];`, outside of functions. One that the source gives values is none.
struct ConstantVariable {
  std::string name;
  std::span<const Token> type;
  std::vector<std::span<const Token>> extents; ///< none: one element
  std::size_t place = 0;                       ///< of the name
};

/// In the order of the source, whose tokens they refer to.
std::vector<ConstantVariable> constant_variables(const Tokens& tokens);

/// The words, and those of the functions of the source that they name, and so on.
std::set<std::string> words_reached(const Tokens& tokens, std::set<std::string> words);

} // namespace gridsmith
