// SPDX-License-Identifier: Apache-2.0
// Numbers that a source gives names to: #define, const int and constexpr int outside of functions.
#pragma once

#include "gridsmith/kernels/syntax/tokens.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace gridsmith {

struct Constant {
  std::string name;
  std::string text; ///< as it is written
  std::optional<std::int64_t> number;
  bool guarded = false; ///< in #ifndef of its name
};

/// `#define NAME text`; nothing for a macro with parameters or without a text.
std::optional<Constant> constant_of_directive(std::string_view line);
/// `static constexpr int NAME = text;`
std::optional<Constant> constant_of(std::span<const Token> declaration);

/// All, in order, each name once.
std::vector<Constant> constants_of(const Tokens& tokens);

/// A whole number as sources write it, with its suffix.
std::optional<std::int64_t> whole_number(std::string_view text);

} // namespace gridsmith
