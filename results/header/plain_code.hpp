// SPDX-License-Identifier: Apache-2.0
// An expression of a definition for one configuration, as C++ over plain 64-bit integers: parameters
// are their values, what is constant is computed here. Only where it is proven, by the range of every
// part of it, that nothing overflows or divides by zero while extents and facts are within theirs;
// there it is what the interpreter computes.
#pragma once

#include "gridsmith/base/expression/expression.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

namespace gridsmith {

/// Thrown and caught in this folder: there is no proof.
struct NotPlain {};

/// The largest extent that plain code is for.
inline constexpr std::int64_t largest_plain = std::int64_t{1} << 31;

/// An integer in C++ with its range; a constant where both ends are one.
struct PlainCode {
  std::string text;
  std::int64_t least = 0, most = 0;

  bool constant() const { return least == most; }
};

/// What a name stands for: a value of the configuration, an integer with its range, or nothing.
using PlainName = std::variant<std::monostate, Value, PlainCode>;
using PlainNames = std::function<PlainName(std::string_view name)>;

/// Nothing where there is no proof, or reals and texts take part beyond ceil(a / b), floor(a / b) and
/// comparisons of texts for equality.
std::optional<PlainCode> plain_code(const Expression& expression, const PlainNames& names);
/// Of sizes as doubles, of + - * / and names alone: for models, which need no exactness.
/// @param names in C++; "" of what is unknown
std::optional<std::string> real_code(const Expression& expression,
                                     const std::function<std::string(std::string_view)>& names);

/// The blocks that cover an extent. @pre divisor >= 1, extent.least >= 0
PlainCode plain_covering(const PlainCode& extent, std::int64_t divisor);

} // namespace gridsmith
