// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/kernels/reading/named_parts.hpp"

#include "gridsmith/base/error.hpp"
#include "gridsmith/base/expression/lexer.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace gridsmith {
namespace {

constexpr std::size_t longest = 10'000; // characters: parts of parts grow fast

bool is_name(const std::string& text) {
  try {
    const auto tokens = detail::tokens_of(text);
    return tokens.size() == 2 && Expression::parse(text).root().kind == NodeKind::name;
  } catch (const InputError&) {
    return false;
  }
}

} // namespace

NamedParts::NamedParts(const JsonField& let) {
  if (!let.present())
    return;
  for (const std::string& name : let.names()) {
    std::vector<std::string> path;
    define(let, name, path);
  }
}

/// After those that it uses. @param path of those that are being defined, each for the one before it
void NamedParts::define(const JsonField& let, const std::string& name,
                        std::vector<std::string>& path) {
  if (texts_.contains(name))
    return;
  const JsonField field = let.find(name);
  if (!is_name(name) || name == "i")
    field.fail(
        "'" + name +
        "' cannot name a part; a letter, then letters, digits and _, and no word of expressions");
  const bool circle = std::find(path.begin(), path.end(), name) != path.end();
  path.push_back(name);
  if (circle)
    field.fail(fmt::format("is defined by itself: {}", fmt::join(path, ", ")));
  const std::string text = field.expression(Syntax::formula).text();
  for (const detail::Token& token : detail::tokens_of(text))
    if (const std::string used(token.text);
        token.kind == detail::TokenKind::name && let.find(used).present())
      define(let, used, path);
  path.pop_back();
  texts_[name] = "(" + in_place(field, text) + ")";
}

Expression NamedParts::expression(const JsonField& field, Syntax syntax) const {
  Expression written = field.expression(syntax);
  const std::string whole = in_place(field, written.text());
  if (whole == written.text())
    return written;
  try {
    return Expression::parse(whole, syntax);
  } catch (const InputError& error) {
    field.fail(error.what());
  }
}

std::string NamedParts::in_place(const JsonField& field, const std::string& text) const {
  if (texts_.empty())
    return text;
  std::string whole;
  std::size_t done = 0;
  for (const detail::Token& token : detail::tokens_of(text)) {
    const auto part = texts_.find(std::string(token.text));
    if (token.kind != detail::TokenKind::name || part == texts_.end())
      continue;
    const auto begin = static_cast<std::size_t>(token.text.data() - text.data());
    whole.append(text, done, begin - done) += part->second;
    done = begin + token.text.size();
    if (whole.size() > longest)
      field.fail(
          fmt::format("with the parts of Let in place it has more than {} characters", longest));
  }
  return whole.append(text, done);
}

} // namespace gridsmith
