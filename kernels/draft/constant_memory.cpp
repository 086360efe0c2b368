// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/kernels/draft/constant_memory.hpp"

#include "gridsmith/kernels/syntax/signature.hpp"

#include <algorithm>

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
    if (name == first || name + 1 >= parts.size())
      continue;
    ConstantVariable variable{
        std::string(parts[name].text), parts.subspan(first, name - first), {}, one.first + name};
    std::size_t open = one.first + name + 1;
    while (open < one.last && tokens[open].text == "[") {
      const std::size_t end = behind_bracket(tokens, open, one.last);
      variable.extents.push_back(Range(tokens).subspan(open + 1, end - open - 2));
      open = end;
    }
    if (open < one.last && tokens[open].text == ";")
      found.push_back(std::move(variable));
  }
  return found;
}

} // namespace gridsmith
