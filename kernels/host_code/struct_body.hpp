// SPDX-License-Identifier: Apache-2.0
// What stands between the braces of a struct that a source defines outside of functions.
#pragma once

#include "gridsmith/kernels/syntax/tokens.hpp"

#include <cstddef>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace gridsmith {

/// All refer to the tokens.
struct StructBody {
  std::span<const Token> body; ///< without the braces
  std::span<const Token> base; ///< "public Other"; empty: it has none
  bool hidden = false;         ///< a class, whose members begin as private ones
};

/// `struct Name { … };`, `typedef struct { … } Name;`: the first, if possible one that has no base and is not hidden.
std::optional<StructBody> struct_body(const Tokens& tokens, std::string_view name);

struct StructMember {
  std::string_view name;
  std::span<const Token> begins_as; ///< `4` of `int n = 4;`; empty: it is not said
};

/// Its variables in order; functions are left out.
std::vector<StructMember> members_of(std::span<const Token> body);

struct StructConstructor {
  std::vector<std::span<const Token>> parameters;
  std::span<const Token> members; ///< `n(4), m(5)` behind the colon
  std::span<const Token> body;    ///< without the braces
};

/// Those that are defined in the body.
std::vector<StructConstructor> constructors_of(std::span<const Token> body, std::string_view name);

} // namespace gridsmith
