// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/kernels/source/kernel_line.hpp"

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <optional>

namespace gridsmith {
namespace {

constexpr auto npos = std::string_view::npos;

bool in_name(char letter) {
  return std::isalnum(static_cast<unsigned char>(letter)) != 0 || letter == '_';
}

/// "scale" of "ns::scale<float>".
std::string_view own_name(std::string_view kernel) {
  kernel = kernel.substr(0, kernel.find('<'));
  const std::size_t scope = kernel.rfind(':');
  return scope == npos ? kernel : kernel.substr(scope + 1);
}

/// Past the parenthesis that closes the one here; npos: none does.
std::size_t after_parentheses(std::string_view source, std::size_t open) {
  int depth = 0;
  for (std::size_t at = open; at < source.size(); ++at) {
    depth += source[at] == '(' ? 1 : source[at] == ')' ? -1 : 0;
    if (depth == 0)
      return at + 1;
  }
  return npos;
}

/// Where the name stands that is declared from here on; nothing where it is another one. What
/// stands before it, such as launch bounds, may have parentheses of its own.
std::optional<std::size_t> declared(std::string_view source, std::size_t from,
                                    std::string_view name) {
  while (from < source.size()) {
    const std::size_t open = source.find_first_of("(;{", from);
    if (open == npos || source[open] != '(')
      return std::nullopt;
    std::size_t end = open;
    while (end > from && std::isspace(static_cast<unsigned char>(source[end - 1])) != 0)
      --end;
    std::size_t begin = end;
    while (begin > from && in_name(source[begin - 1]))
      --begin;
    if (source.substr(begin, end - begin) == name)
      return begin;
    from = after_parentheses(source, open);
  }
  return std::nullopt;
}

} // namespace

int kernel_line(std::string_view source, std::string_view kernel) {
  constexpr std::string_view mark = "__global__";
  for (std::size_t at = source.find(mark); at != npos; at = source.find(mark, at + 1))
    if (const auto place = declared(source, at + mark.size(), own_name(kernel)))
      return 1 + static_cast<int>(std::count(
                     source.begin(), source.begin() + static_cast<std::ptrdiff_t>(*place), '\n'));
  return 0;
}

} // namespace gridsmith
