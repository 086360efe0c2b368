// SPDX-License-Identifier: Apache-2.0
// The types that a source declares its variables with, as they are written, and what its names of types mean.
#pragma once

#include "gridsmith/kernels/syntax/tokens.hpp"

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace gridsmith {

struct DeclaredType {
  std::span<const Token> type;
  std::size_t stars = 0, arrays = 0; ///< `float* x[4]` has one of each
};

/// Of the name that stands there; nothing where that is no declaration.
std::optional<DeclaredType> declared_at(const Tokens& tokens, std::size_t name);

/// `typedef unsigned long long word;`, `using word = float;`, `#define word float`: what stands for it; "": nothing
/// does.
std::string meaning_in(const Tokens& tokens, const std::string& word);

/// "const", "static", "struct": no part of a type's name.
bool is_type_specifier(std::string_view word);

} // namespace gridsmith
