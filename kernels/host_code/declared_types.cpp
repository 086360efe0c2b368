// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/kernels/host_code/declared_types.hpp"

#include <set>

namespace gridsmith {
namespace {

using Range = std::span<const Token>;

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

} // namespace

bool is_type_specifier(std::string_view word) {
  static const std::set<std::string_view> words{
      "const",     "struct", "static",       "extern",      "volatile",  "typename",
      "constexpr", "inline", "__restrict__", "__managed__", "__device__"};
  return words.contains(word);
}

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

std::optional<DeclaredType> declared_at(const Tokens& tokens, std::size_t name) {
  static const std::set<std::string_view> verbs{"return", "sizeof", "delete", "throw",
                                                "else",   "case",   "new"};
  static const std::set<std::string_view> behinds{"=", ";", ",", ")", "[", "(", "{"};
  if (name + 1 >= tokens.size() || !behinds.contains(tokens[name + 1].text))
    return std::nullopt;
  DeclaredType found;
  std::size_t last = name;
  for (; last > 0 && (tokens[last - 1].text == "*" || is_type_specifier(tokens[last - 1].text));
       --last)
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

} // namespace gridsmith
