// SPDX-License-Identifier: Apache-2.0
// The tokens of an expression's text. Only this folder, search/ and the reader of definitions use it.
#pragma once

#include "gridsmith/base/expression/tree.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace gridsmith::detail {

enum class TokenKind : std::uint8_t { end, integer, real, text, name, symbol };

struct Token {
  TokenKind kind = TokenKind::end;
  Operator op = Operator::none; ///< of a symbol or word that is a binary operator or relation
  std::uint32_t column = 0;     ///< from 1
  std::string_view text;        ///< without the quotes
};

inline constexpr std::size_t longest_text = std::size_t{1} << 20; ///< characters of an expression

/// "expression 'text', column N"; of a long text, what stands around the column.
std::string place_in(std::string_view text, std::size_t column);
/// @throws InputError "expression 'text', column N: message".
[[noreturn]] void fail_at(std::string_view text, std::size_t column, const std::string& message);

/// All tokens, the end last. @throws InputError, of a text that is too long as well
std::vector<Token> tokens_of(std::string_view text);

} // namespace gridsmith::detail
