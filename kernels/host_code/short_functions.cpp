// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/kernels/host_code/short_functions.hpp"

#include "gridsmith/kernels/syntax/signature.hpp"

#include <algorithm>

namespace gridsmith {
namespace {

using Range = std::span<const Token>;

std::vector<ShortFunction::Parameter> parameters_in(Range list) {
  std::vector<ShortFunction::Parameter> found;
  for (const Range part : parts_of(list)) {
    ShortFunction::Parameter one;
    for (const Token& token : part) {
      if (token.kind == TokenKind::word)
        one.name = token.text;
      one.real = one.real || token.text == "float" || token.text == "double";
    }
    found.push_back(one);
  }
  return found;
}

/// `(int a, int b) -> int { return …; }`, from its first bracket; nothing where more stands in it.
std::vector<ShortFunction> function_at(const Tokens& tokens, std::size_t open) {
  const std::size_t close = behind_bracket(tokens, open, tokens.size());
  std::size_t body = close;
  while (body < tokens.size() &&
         (tokens[body].kind == TokenKind::word || tokens[body].text == "->"))
    ++body;
  if (body + 2 >= tokens.size() || tokens[body].text != "{" || tokens[body + 1].text != "return")
    return {};
  const std::size_t end = behind_bracket(tokens, body, tokens.size());
  const Range inside = Range(tokens).subspan(body + 2, std::max(end, body + 3) - body - 3);
  const bool one = !inside.empty() && inside.back().text == ";" &&
                   std::count_if(inside.begin(), inside.end(),
                                 [](const Token& token) { return token.text == ";"; }) == 1;
  if (!one)
    return {};
  return {{parameters_in(Range(tokens).subspan(open + 1, close - open - 2)),
           Tokens(inside.begin(), inside.end() - 1)}};
}

/// `#define CEIL(a, b) (((a) + (b) - 1) / (b))`
std::vector<ShortFunction> macro_in(const Token& directive, std::string_view name) {
  const std::string_view rest =
      directive_name(directive.text) == "define" ? directive_rest(directive.text) : "";
  const std::size_t close = rest.find(')');
  if (!rest.starts_with(name) || rest.size() <= name.size() || rest[name.size()] != '(' ||
      close == rest.npos)
    return {};
  const Tokens list = tokens_of(rest.substr(name.size() + 1, close - name.size() - 1));
  return {{parameters_in(list), tokens_of(rest.substr(close + 1))}};
}

} // namespace

std::vector<ShortFunction> short_functions(const Tokens& tokens, std::string_view name) {
  std::vector<ShortFunction> found;
  const auto add = [&](std::vector<ShortFunction> some) {
    found.insert(found.end(), some.begin(), some.end());
  };
  for (std::size_t at = 0; at + 3 < tokens.size(); ++at) {
    if (tokens[at].kind == TokenKind::directive)
      add(macro_in(tokens[at], name));
    if (tokens[at].text != name || tokens[at].kind != TokenKind::word)
      continue;
    std::size_t open = at + 1;
    if (tokens[open].text == "=" && tokens[open + 1].text == "[") // a lambda
      open = behind_bracket(tokens, open + 1, tokens.size());
    if (open < tokens.size() && tokens[open].text == "(")
      add(function_at(tokens, open));
  }
  return found;
}

Tokens body_with(const ShortFunction& function, std::span<const Range> arguments) {
  static const Tokens brackets = tokens_of("()");
  Tokens made;
  for (const Token& token : function.body) {
    const auto parameter =
        std::find_if(function.parameters.begin(), function.parameters.end(),
                     [&](const ShortFunction::Parameter& one) { return one.name == token.text; });
    if (parameter == function.parameters.end() || token.kind != TokenKind::word) {
      made.push_back(token);
      continue;
    }
    const Range given =
        arguments[static_cast<std::size_t>(parameter - function.parameters.begin())];
    made.push_back(brackets[0]);
    made.insert(made.end(), given.begin(), given.end());
    made.push_back(brackets[1]);
  }
  return made;
}

} // namespace gridsmith
