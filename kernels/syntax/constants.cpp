// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/kernels/syntax/constants.hpp"

#include "gridsmith/base/text_layout.hpp"
#include "gridsmith/kernels/source/compiler_options.hpp"
#include "gridsmith/kernels/syntax/signature.hpp"

#include <algorithm>
#include <charconv>
#include <set>

namespace gridsmith {
namespace {

constexpr std::int64_t largest_number = std::int64_t{1} << 40; // above this it is no size

/// `(256)` too.
std::optional<std::int64_t> number_in(std::string_view text) {
  while (text.starts_with('(') && text.ends_with(')') && text.size() > 2)
    text = trimmed(text.substr(1, text.size() - 2));
  return whole_number(text);
}

} // namespace

std::optional<std::int64_t> whole_number(std::string_view text) {
  const bool hexadecimal = text.starts_with("0x") || text.starts_with("0X");
  if (hexadecimal)
    text.remove_prefix(2);
  std::int64_t number = 0;
  const auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), number, hexadecimal ? 16 : 10);
  const auto used = static_cast<std::size_t>(end - text.data());
  const bool whole = text.substr(used).find_first_not_of("uUlL") == text.npos;
  return error == std::errc() && whole && number >= 0 && number < largest_number
             ? std::optional(number)
             : std::nullopt;
}

std::optional<Constant> constant_of_directive(std::string_view line) {
  const std::string_view rest = directive_rest(line);
  const std::size_t end = rest.find_first_of(" \t(");
  const std::string_view name = rest.substr(0, end);
  const std::string_view text = end == rest.npos ? "" : trimmed(rest.substr(end));
  if (directive_name(line) != "define" || !is_macro_name(name) || text.empty() || rest[end] == '(')
    return std::nullopt;
  return Constant{std::string(name), std::string(text), number_in(text)};
}

std::optional<Constant> constant_of(std::span<const Token> declaration) {
  static const std::set<std::string_view> words{"static", "inline",   "const",  "constexpr",
                                                "int",    "unsigned", "size_t", "long"};
  std::size_t at = 0;
  bool fixed = false;
  for (; at < declaration.size() && words.contains(declaration[at].text); ++at)
    fixed |= declaration[at].text.starts_with("const");
  if (!fixed || at + 3 >= declaration.size() || declaration[at + 1].text != "=" ||
      declaration.back().text != ";")
    return std::nullopt;
  const std::string text = text_of(declaration.subspan(at + 2, declaration.size() - at - 3));
  if (!is_macro_name(declaration[at].text) || text.find(',') != text.npos)
    return std::nullopt;
  return Constant{std::string(declaration[at].text), text, number_in(text)};
}

std::vector<Constant> constants_of(const Tokens& tokens) {
  std::vector<Constant> found;
  std::set<std::string, std::less<>> guarded;
  const auto add = [&](std::optional<Constant> one) {
    if (!one || std::any_of(found.begin(), found.end(),
                            [&](const Constant& other) { return other.name == one->name; }))
      return;
    one->guarded = guarded.contains(one->name);
    found.push_back(*std::move(one));
  };
  for (const Declaration& one : declarations_of(tokens)) {
    const std::string_view line = tokens[one.first].text;
    if (one.kind != Declaration::Kind::directive)
      add(constant_of(std::span(tokens).subspan(one.first, one.last - one.first)));
    else if (directive_name(line) == "ifndef")
      guarded.emplace(directive_rest(line));
    else
      add(constant_of_directive(line));
  }
  return found;
}

} // namespace gridsmith
