// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/kernels/syntax/tokens.hpp"

#include "gridsmith/base/text_layout.hpp"
#include "gridsmith/kernels/source/letters.hpp"

#include <algorithm>

namespace gridsmith {
namespace {

constexpr std::string_view long_signs[] = {
    "<<<", "<<=", "...", "->*", "<<", "<=", ">=", "==", "!=", "&&", "||", "++",
    "--",  "+=",  "-=",  "*=",  "/=", "%=", "&=", "|=", "^=", "->", "::"};

class Scanner {
public:
  explicit Scanner(std::string_view source) : source_(source) {}

  Tokens scan() {
    while (at_ < source_.size())
      step();
    return std::move(tokens_);
  }

private:
  bool starts(std::string_view text) const { return source_.substr(at_).starts_with(text); }

  void step() {
    const char c = source_[at_];
    if (starts("//"))
      at_ = end_of_line(at_);
    else if (starts("/*"))
      at_ = std::min(source_.find("*/", at_ + 2), source_.size() - 2) + 2;
    else if (c == '#')
      take_directive();
    else if (c == '"' || c == '\'')
      take(TokenKind::text, behind_quotes());
    else if (is_letter(c))
      take_word();
    else if (is_digit(c))
      take(TokenKind::number, behind_number());
    else if (static_cast<unsigned char>(c) <= ' ' || c == '\\')
      ++at_;
    else
      take(TokenKind::sign, at_ + length_of_sign());
  }

  /// Of the line that goes on behind a backslash.
  std::size_t end_of_line(std::size_t from) const {
    for (std::size_t at = from; (at = source_.find('\n', at)) != source_.npos; ++at) {
      const std::size_t last = at > 0 && source_[at - 1] == '\r' ? at - 1 : at;
      if (last == from || source_[last - 1] != '\\')
        return at;
    }
    return source_.size();
  }

  std::size_t behind_quotes() const {
    for (std::size_t at = at_ + 1; at < source_.size() && source_[at] != '\n'; ++at)
      if (source_[at] == '\\')
        ++at;
      else if (source_[at] == source_[at_])
        return at + 1;
    return std::min(source_.find('\n', at_), source_.size());
  }

  std::size_t behind_number() const {
    std::size_t at = at_;
    while (at < source_.size() && (is_letter_or_digit(source_[at]) || source_[at] == '.' ||
                                   ((source_[at] == '+' || source_[at] == '-') &&
                                    (source_[at - 1] | 0x20) == 'e' && !hexadecimal())))
      ++at;
    return at;
  }

  bool hexadecimal() const { return starts("0x") || starts("0X"); }

  std::size_t length_of_sign() const {
    for (const std::string_view sign : long_signs)
      if (starts(sign))
        return sign.size();
    return 1;
  }

  void take(TokenKind kind, std::size_t end) {
    tokens_.push_back({kind, source_.substr(at_, end - at_), at_});
    at_ = std::max(end, at_ + 1);
  }

  void take_word() {
    std::size_t end = at_;
    while (end < source_.size() && is_letter_or_digit(source_[end]))
      ++end;
    const std::string_view word = source_.substr(at_, end - at_);
    if (word.ends_with('R') && source_.substr(end).starts_with('"'))
      return take(TokenKind::text, behind_raw(end + 1));
    take(TokenKind::word, end);
  }

  /// R"mark( … )mark"
  std::size_t behind_raw(std::size_t from) const {
    const std::size_t open = source_.find('(', from);
    if (open == source_.npos)
      return source_.size();
    const std::string end = ")" + std::string(source_.substr(from, open - from)) + '"';
    const std::size_t close = source_.find(end, open);
    return close == source_.npos ? source_.size() : close + end.size();
  }

  void take_directive() {
    take(TokenKind::directive, end_of_line(at_));
    const std::string_view line = tokens_.back().text;
    if (directive_name(line) == "if" && directive_rest(line) == "0")
      skip_branch();
  }

  /// To the #else, #elif or #endif of a condition that is not met.
  void skip_branch() {
    int depth = 1;
    while (at_ < source_.size()) {
      const std::size_t end = end_of_line(at_);
      const std::string_view name = directive_name(trimmed(source_.substr(at_, end - at_)));
      const bool back = depth == 1 && (name == "else" || name.starts_with("elif"));
      depth += name.starts_with("if") ? 1 : name == "endif" ? -1 : 0;
      if (back || depth == 0)
        return;
      at_ = end + 1;
    }
    at_ = std::min(at_, source_.size());
  }

  std::string_view source_;
  std::size_t at_ = 0;
  Tokens tokens_;
};

char closing(char open) {
  return open == '(' ? ')' : open == '[' ? ']' : '}';
}

bool is_part_of_word(const Token& token) {
  return token.kind == TokenKind::word || token.kind == TokenKind::number;
}

} // namespace

Tokens tokens_of(std::string_view source) {
  return Scanner(source).scan();
}

std::size_t behind_bracket(const Tokens& tokens, std::size_t open, std::size_t end) {
  const char first = tokens[open].text[0], last = closing(first);
  int depth = 0;
  for (std::size_t at = open; at < end; ++at) {
    if (tokens[at].kind != TokenKind::sign || tokens[at].text.size() != 1)
      continue;
    depth += tokens[at].text[0] == first ? 1 : tokens[at].text[0] == last ? -1 : 0;
    if (depth == 0)
      return at + 1;
  }
  return end;
}

std::size_t behind_angles(const Tokens& tokens, std::size_t open, std::size_t end) {
  int depth = 0;
  for (std::size_t at = open; at < end && tokens[at].text != ";"; ++at) {
    if (tokens[at].kind == TokenKind::sign)
      depth += tokens[at].text == "<" ? 1 : tokens[at].text == ">" ? -1 : 0;
    if (depth <= 0)
      return at == open ? open : at + 1;
  }
  return open;
}

std::string text_of(std::span<const Token> tokens) {
  std::string text;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    if (i > 0 && is_part_of_word(tokens[i - 1]) && is_part_of_word(tokens[i]))
      text += ' ';
    text += tokens[i].text;
  }
  return text;
}

std::string_view directive_name(std::string_view directive) {
  if (!directive.starts_with('#'))
    return "";
  directive = trimmed(directive.substr(1));
  std::size_t end = 0;
  while (end < directive.size() && is_letter_or_digit(directive[end]))
    ++end;
  return directive.substr(0, end);
}

std::string_view directive_rest(std::string_view directive) {
  const std::string_view name = directive_name(directive);
  if (name.empty())
    return "";
  const auto behind = static_cast<std::size_t>(name.data() + name.size() - directive.data());
  std::string_view rest = directive.substr(behind);
  return trimmed(rest.substr(0, std::min(rest.find("//"), rest.find("/*"))));
}

} // namespace gridsmith
