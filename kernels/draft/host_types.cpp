// SPDX-License-Identifier: Apache-2.0
// What sizeof() is of the types and variables that a file's host code names.
#include "gridsmith/kernels/draft/argument_type.hpp"
#include "gridsmith/kernels/draft/host_values.hpp"
#include "gridsmith/kernels/syntax/constants.hpp"

#include <functional>
#include <set>

namespace gridsmith {
namespace {

using Range = std::span<const Token>;

constexpr std::int64_t pointer_bytes = 8;

/// `typedef unsigned long long word;`, `using word = float;`, `#define word float`: what stands for it; "": nothing does.
std::string meaning_in(const Tokens& tokens, const std::string& word) {
  std::string macro;
  for (std::size_t at = 0; at < tokens.size(); ++at) {
    const std::string_view text = tokens[at].text;
    const auto until_end = [&](std::size_t first) {
      std::size_t end = first;
      while (end < tokens.size() && tokens[end].kind == TokenKind::word)
        ++end;
      return std::pair(end, end < tokens.size() && tokens[end].text == ";");
    };
    if (text == "typedef") {
      const auto [end, whole] = until_end(at + 1);
      if (whole && end > at + 2 && tokens[end - 1].text == word)
        return text_of(Range(tokens).subspan(at + 1, end - at - 2));
    }
    if (text == "using" && at + 3 < tokens.size() && tokens[at + 1].text == word &&
        tokens[at + 2].text == "=") {
      const auto [end, whole] = until_end(at + 3);
      if (whole && end > at + 3)
        return text_of(Range(tokens).subspan(at + 3, end - at - 3));
    }
    if (tokens[at].kind == TokenKind::directive && directive_name(text) == "define")
      if (const std::string_view rest = directive_rest(text);
          rest.starts_with(word) && rest.size() > word.size() && rest[word.size()] == ' ') {
        if (!macro.empty())
          return ""; // which of them counts, a preprocessor knows
        macro = std::string(rest.substr(rest.find_first_not_of(' ', word.size())));
      }
  }
  return macro;
}

bool is_specifier(std::string_view word) {
  static const std::set<std::string_view> words{
      "const",     "struct", "static",       "extern",      "volatile",  "typename",
      "constexpr", "inline", "__restrict__", "__managed__", "__device__"};
  return words.contains(word);
}

struct Declared {
  Range type;
  std::size_t stars = 0, arrays = 0; ///< `float* x[4]` has one of each
};

/// Of `b` in `float* a, b`.
Range type_of_list(const Tokens& tokens, std::size_t comma) {
  std::size_t first = comma;
  for (int depth = 0; first > 0; --first) {
    const std::string_view text = tokens[first - 1].text;
    if (text == ";" || text == "{" || text == "}" || (depth == 0 && text == "("))
      break;
    depth += text == ")" ? 1 : text == "(" ? -1 : 0;
  }
  std::size_t last = first;
  while (last < comma && tokens[last].kind == TokenKind::word)
    ++last;
  const bool pointer = tokens[last].text == "*";
  return Range(tokens).subspan(first, last - first - (pointer || last == first ? 0 : 1));
}

/// Nothing: the name does not stand in a declaration there.
std::optional<Declared> declared_at(const Tokens& tokens, std::size_t name) {
  static const std::set<std::string_view> verbs{"return", "sizeof", "delete", "throw",
                                                "else",   "case",   "new"};
  static const std::set<std::string_view> behinds{"=", ";", ",", ")", "[", "(", "{"};
  if (name + 1 >= tokens.size() || !behinds.contains(tokens[name + 1].text))
    return std::nullopt;
  Declared found;
  std::size_t last = name;
  for (; last > 0 && (tokens[last - 1].text == "*" || is_specifier(tokens[last - 1].text)); --last)
    found.stars += tokens[last - 1].text == "*" ? 1 : 0;
  std::size_t first = last;
  while (first > 0 && tokens[first - 1].kind == TokenKind::word)
    --first;
  found.type = Range(tokens).subspan(first, last - first);
  if (last > 0 && tokens[last - 1].text == ",")
    found.type = type_of_list(tokens, last - 1);
  else if (first > 0) {
    const std::string_view before = tokens[first - 1].text;
    if (before != ";" && before != "{" && before != "}" && before != "(" && before != "," &&
        before != "::" && before != ")" && before != ">" &&
        tokens[first - 1].kind != TokenKind::directive)
      return std::nullopt;
  }
  if (found.type.empty() || verbs.contains(found.type.front().text))
    return std::nullopt;
  for (std::size_t open = name + 1; open < tokens.size() && tokens[open].text == "[";
       open = behind_bracket(tokens, open, tokens.size()))
    ++found.arrays;
  return found;
}

/// The name in `*x`, `**x`, `x[0][1]`, and how often it is followed; "": it is another expression.
std::pair<std::string_view, std::size_t> followed(Range operand) {
  std::size_t at = 0;
  while (at < operand.size() && operand[at].text == "*")
    ++at;
  std::size_t times = at;
  if (at >= operand.size() || operand[at].kind != TokenKind::word)
    return {"", 0};
  const std::string_view name = operand[at++].text;
  while (at < operand.size() && operand[at].text == "[") {
    while (at < operand.size() && operand[at].text != "]")
      ++at;
    ++at;
    ++times;
  }
  return {at == operand.size() ? name : std::string_view(), times};
}

} // namespace

std::string HostValues::meaning(const std::string& word) const {
  std::string found = meaning_in(tokens_, word);
  for (std::size_t i = 0; found.empty() && i < headers_.size(); ++i)
    found = meaning_in(headers_[i], word);
  return found;
}

/// Where all declarations of its function say the same, or where those outside of functions do.
std::optional<std::int64_t> HostValues::bytes_of_variable(Range operand) const {
  const auto [name, times] = followed(operand);
  const std::less<const Token*> before;
  if (name.empty() || before(operand.data(), tokens_.data()) ||
      !before(operand.data(), tokens_.data() + tokens_.size()))
    return std::nullopt;
  const auto place = static_cast<std::size_t>(operand.data() - tokens_.data());
  std::optional<std::int64_t> found;
  bool differs = false; // or one is not known
  const auto take = [&](std::size_t first, std::size_t last) {
    for (std::size_t at = first; at < last; ++at) {
      const auto declared =
          tokens_[at].text == name ? declared_at(tokens_, at) : std::optional<Declared>();
      if (!declared)
        continue;
      const auto bytes =
          times < declared->arrays || times > declared->arrays + declared->stars ? std::nullopt
          : times < declared->arrays + declared->stars ? std::optional(pointer_bytes)
                                                       : bytes_of_type(declared->type);
      differs |= !bytes || (found && found != bytes);
      found = bytes;
    }
    return !differs;
  };
  for (const Declaration& one : declarations_)
    if (one.kind == Declaration::Kind::function && one.first <= place && place < one.last &&
        (!take(one.first, place) || found))
      return differs ? std::nullopt : found;
  for (const Declaration& one : declarations_)
    if (one.kind == Declaration::Kind::other && !take(one.first, one.last))
      return std::nullopt;
  return found;
}

std::optional<std::int64_t> HostValues::bytes_of_type(std::span<const Token> type) const {
  if (!type.empty() && (type.front().text == "*" || type.back().text == "]"))
    return bytes_of_variable(type);
  std::string name;
  for (const Token& token : type) {
    if (token.text == "*")
      return pointer_bytes;
    if (!is_specifier(token.text))
      name += (name.empty() ? "" : " ") + std::string(token.text);
  }
  if (const auto said = bytes_.find(name); said != bytes_.end())
    return said->second;
  auto known = type_of_word(name);
  constexpr int most_names = 8; // of a type that is named by another
  for (int i = 0; !known && !name.empty() && i < most_names; ++i) {
    name = meaning(name);
    known = type_of_word(name);
  }
  return known ? std::optional<std::int64_t>(known->bytes * known->count) : std::nullopt;
}

} // namespace gridsmith
