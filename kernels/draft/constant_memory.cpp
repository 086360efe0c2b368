// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/kernels/draft/constant_memory.hpp"

#include "gridsmith/kernels/syntax/signature.hpp"

#include <algorithm>
#include <map>
#include <string_view>

namespace gridsmith {
namespace {

using Range = std::span<const Token>;

bool is_specifier(const Token& token) {
  return token.text == "static" || token.text == "extern" || token.text == "__device__" ||
         token.text == "__constant__" || token.text == "volatile";
}

} // namespace

std::vector<ConstantVariable> constant_variables(const Tokens& tokens) {
  std::vector<ConstantVariable> found;
  for (const Declaration& one : declarations_of(tokens)) {
    const Range parts = Range(tokens).subspan(one.first, one.last - one.first);
    const auto has = [&](std::string_view text) {
      return std::any_of(parts.begin(), parts.end(),
                         [&](const Token& token) { return token.text == text; });
    };
    if (one.kind != Declaration::Kind::other || !has("__constant__") || has("=") || has("{"))
      continue;
    std::size_t first = 0;
    while (first < parts.size() && is_specifier(parts[first]))
      ++first;
    std::size_t name = first;
    while (name + 1 < parts.size() && parts[name + 1].kind == TokenKind::word)
      ++name;
    const Range type = parts.subspan(first, name - first);
    for (std::size_t at = one.first + name; !type.empty() && at + 1 < one.last;) {
      ConstantVariable variable{std::string(tokens[at].text), type, {}, at};
      std::size_t open = at + 1;
      while (open < one.last && tokens[open].text == "[") {
        const std::size_t end = behind_bracket(tokens, open, one.last);
        variable.extents.push_back(Range(tokens).subspan(open + 1, end - open - 2));
        open = end;
      }
      const bool more = open < one.last && tokens[open].text == ",";
      if (!more && !(open < one.last && tokens[open].text == ";"))
        break;
      found.push_back(std::move(variable));
      at = more ? open + 1 : one.last;
    }
  }
  return found;
}

std::set<std::string> words_reached(const Tokens& tokens, std::set<std::string> words) {
  std::multimap<std::string_view, const Declaration*>
      functions; // by each word of the head before a bracket
  const std::vector<Declaration> all = declarations_of(tokens);
  for (const Declaration& one : all)
    for (std::size_t i = one.first; one.kind == Declaration::Kind::function && i < one.body; ++i)
      if (tokens[i].kind == TokenKind::word && tokens[i + 1].text == "(")
        functions.emplace(tokens[i].text, &one);
  std::set<const Declaration*> read;
  for (std::vector<std::string> open(words.begin(), words.end()); !open.empty();) {
    const auto [from, to] = functions.equal_range(open.back());
    open.pop_back();
    for (auto found = from; found != to; ++found) {
      const Declaration& one = *found->second;
      if (!read.insert(&one).second)
        continue;
      for (std::size_t i = one.body; i < one.last; ++i)
        if (tokens[i].kind == TokenKind::word && words.emplace(tokens[i].text).second)
          open.emplace_back(tokens[i].text);
    }
  }
  return words;
}

} // namespace gridsmith
