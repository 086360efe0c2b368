// SPDX-License-Identifier: Apache-2.0
// A source of C++ as tokens, without a preprocessor: comments and blanks are gone, a directive is one
// token. Takes any bytes.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace gridsmith {

enum class TokenKind { word, number, text, sign, directive };

struct Token {
  TokenKind kind = TokenKind::sign;
  std::string_view text; ///< into the source
  std::size_t at = 0;    ///< byte at which it begins
};

using Tokens = std::vector<Token>;

/// What stands between `#if 0` and its end is skipped. A `>` is always a sign of its own, but for `>=`.
Tokens tokens_of(std::string_view source);

/// Behind the bracket that closes the one at `open`, at most `end`. @pre ( [ or { at `open`
std::size_t behind_bracket(const Tokens& tokens, std::size_t open, std::size_t end);

/// Behind the > that closes the < at `open`; `open` where none stands there, or no end before `end` or a semicolon.
std::size_t behind_angles(const Tokens& tokens, std::size_t open, std::size_t end);

/// The tokens in one line, with blanks where two words meet.
std::string text_of(std::span<const Token> tokens);

/// "define" of "#  define X"; "" where there is none.
std::string_view directive_name(std::string_view directive);
/// What stands behind the name, without blanks around it.
std::string_view directive_rest(std::string_view directive);

} // namespace gridsmith
