// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/base/expression/lexer.hpp"

#include "gridsmith/base/error.hpp"

#include <array>

namespace gridsmith::detail {
namespace {

// Of a text in an error: enough for what people write, one line of what nobody reads.
constexpr std::size_t shown = 200, shown_before = 100;

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

bool is_word_start(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

bool is_word(char c) {
  return is_word_start(c) || is_digit(c);
}

struct Symbol {
  std::string_view text;
  Operator op;
};

// Longest first, so that the first match is the right one.
constexpr std::array<Symbol, 26> symbols{{
    {"**", Operator::power},         {"//", Operator::floor_divide}, {"<=", Operator::less_equal},
    {">=", Operator::greater_equal}, {"==", Operator::equal},        {"!=", Operator::not_equal},
    {"&&", Operator::none},          {"||", Operator::none},         {"+", Operator::add},
    {"-", Operator::subtract},       {"*", Operator::multiply},      {"/", Operator::divide},
    {"%", Operator::modulo},         {"<", Operator::less},          {">", Operator::greater},
    {"!", Operator::logical_not},    {"(", Operator::none},          {")", Operator::none},
    {"[", Operator::none},           {"]", Operator::none},          {",", Operator::none},
    {";", Operator::none},           {":", Operator::none},          {"=", Operator::none},
    {"{", Operator::none},           {"}", Operator::none},
}};

/// Length of the number at the front of `text`; sets `real`.
std::size_t number_length(std::string_view text, bool& real) {
  std::size_t n = 0;
  real = false;
  if (text.size() > 2 && text[0] == '0' && (text[1] == 'x' || text[1] == 'X')) {
    for (n = 2; n < text.size() && is_word(text[n]);)
      ++n;
    return n;
  }
  const auto digits = [&] {
    while (n < text.size() && is_digit(text[n]))
      ++n;
  };
  digits();
  if (n < text.size() && text[n] == '.') {
    real = true;
    ++n;
    digits();
  }
  if (n < text.size() && (text[n] == 'e' || text[n] == 'E')) {
    const std::size_t sign = n + 1 < text.size() && (text[n + 1] == '+' || text[n + 1] == '-');
    if (n + 1 + sign < text.size() && is_digit(text[n + 1 + sign])) {
      real = true;
      n += 1 + sign;
      digits();
    }
  }
  return n;
}

/// Operators of other languages, and of Python on bits, which T1 files of others have.
std::string_view hint_of(char character) {
  switch (character) {
  case '&':
    return "; write 'and' between conditions, '%' for the low bits";
  case '|':
    return "; write 'or' between conditions";
  case '^':
    return "; a power is '**'";
  case '?':
    return "; write 'a if c else b' for 'c ? a : b'";
  case '.':
    return "; no name has a '.' in it";
  default:
    return "";
  }
}

class Lexer {
public:
  explicit Lexer(std::string_view text) : text_(text) {}

  std::vector<Token> tokens() {
    std::vector<Token> out;
    out.reserve(text_.size() / 2 + 2);
    do
      out.push_back(next());
    while (out.back().kind != TokenKind::end);
    return out;
  }

private:
  Token next() {
    while (at_ < text_.size() &&
           (text_[at_] == ' ' || text_[at_] == '\t' || text_[at_] == '\n' || text_[at_] == '\r'))
      ++at_;
    Token token;
    token.column = static_cast<std::uint32_t>(at_ + 1);
    if (at_ == text_.size())
      return token;
    const char c = text_[at_];
    if (is_word_start(c))
      return word(token);
    if (is_digit(c) || (c == '.' && at_ + 1 < text_.size() && is_digit(text_[at_ + 1])))
      return number(token);
    if (c == '\'' || c == '"')
      return quoted(token);
    return symbol(token);
  }

  Token word(Token token) {
    std::size_t n = 1;
    while (at_ + n < text_.size() && is_word(text_[at_ + n]))
      ++n;
    return take(token, TokenKind::name, n);
  }

  Token number(Token token) {
    bool real = false;
    const std::size_t n = number_length(text_.substr(at_), real);
    token = take(token, real ? TokenKind::real : TokenKind::integer, n);
    if (at_ < text_.size() && is_word(text_[at_]))
      fail_at(text_, token.column, "a number with letters in it is no number");
    return token;
  }

  Token quoted(Token token) {
    const std::size_t close = text_.find(text_[at_], at_ + 1);
    if (close == std::string_view::npos)
      fail_at(text_, token.column, "the text that begins here has no closing quote");
    token.kind = TokenKind::text;
    token.text = text_.substr(at_ + 1, close - at_ - 1);
    at_ = close + 1;
    return token;
  }

  Token symbol(Token token) {
    for (const Symbol& symbol : symbols)
      if (text_.substr(at_, symbol.text.size()) == symbol.text) {
        token.op = symbol.op;
        return take(token, TokenKind::symbol, symbol.text.size());
      }
    const std::string_view hint = hint_of(text_[at_]);
    fail_at(text_, token.column,
            "unexpected character '" + std::string(1, text_[at_]) + "'" + std::string(hint));
  }

  Token take(Token token, TokenKind kind, std::size_t n) {
    token.kind = kind;
    token.text = text_.substr(at_, n);
    at_ += n;
    return token;
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

} // namespace

std::string place_in(std::string_view text, std::size_t column) {
  const std::size_t first =
      column > shown_before && text.size() > shown ? column - shown_before : 0;
  const bool cut = text.size() - first > shown;
  return "expression '" + std::string(first > 0 ? "…" : "") +
         std::string(text.substr(first, shown)) + (cut ? "…" : "") + "', column " +
         std::to_string(column);
}

void fail_at(std::string_view text, std::size_t column, const std::string& message) {
  throw InputError(place_in(text, column) + ": " + message);
}

std::vector<Token> tokens_of(std::string_view text) {
  if (text.size() > longest_text)
    fail_at(text, longest_text,
            "it has " + std::to_string(text.size()) + " characters, the limit is " +
                std::to_string(longest_text));
  return Lexer(text).tokens();
}

} // namespace gridsmith::detail
