// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/kernels/source/kernel_line.hpp"

#include "gridsmith/kernels/source/letters.hpp"

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <optional>

namespace gridsmith {
namespace {

constexpr auto npos = std::string_view::npos;

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

struct Declared {
  std::size_t begin = 0;
  std::string_view name;
  std::size_t after = npos; ///< its parentheses
};

/// What stands before the next parenthesis, in a declaration that begins here.
std::optional<Declared> next_declared(std::string_view source, std::size_t from) {
  const std::size_t open = source.find_first_of("(;{", from);
  if (open == npos || source[open] != '(')
    return std::nullopt;
  std::size_t end = open;
  while (end > from && std::isspace(static_cast<unsigned char>(source[end - 1])) != 0)
    --end;
  std::size_t begin = end;
  while (begin > from && is_letter_or_digit(source[begin - 1]))
    --begin;
  return Declared{begin, source.substr(begin, end - begin), after_parentheses(source, open)};
}

/// The function that is declared from here on: the first that `is_it`. What stands before its name,
/// such as launch bounds, may have parentheses of its own.
std::optional<Declared> declared(std::string_view source, std::size_t from, const auto& is_it) {
  while (from < source.size()) {
    const auto one = next_declared(source, from);
    if (!one || is_it(*one))
      return one;
    from = one->after;
  }
  return std::nullopt;
}

/// Calls `visit` with the place behind each __global__ until it is true.
void for_marks(std::string_view source, const auto& visit) {
  constexpr std::string_view mark = "__global__";
  for (std::size_t at = source.find(mark); at != npos; at = source.find(mark, at + 1))
    if (visit(at + mark.size()))
      return;
}

} // namespace

std::string_view own_name(std::string_view kernel) {
  kernel = kernel.substr(0, kernel.find_first_of("<("));
  const std::size_t scope = kernel.rfind(':');
  return scope == npos ? kernel : kernel.substr(scope + 1);
}

int kernel_line(std::string_view source, std::string_view kernel) {
  int line = 0;
  const auto is_it = [name = own_name(kernel)](const Declared& one) { return one.name == name; };
  for_marks(source, [&](std::size_t from) {
    const auto found = declared(source, from, is_it);
    if (found)
      line = 1 +
             static_cast<int>(std::count(
                 source.begin(), source.begin() + static_cast<std::ptrdiff_t>(found->begin), '\n'));
    return found.has_value();
  });
  return line;
}

std::vector<std::string> kernel_names(std::string_view source) {
  std::vector<std::string> names;
  const auto has_body = [&](const Declared& one) {
    const std::size_t next = source.find_first_not_of(" \t\r\n", one.after);
    return one.after != npos && next != npos && (source[next] == '{' || source[next] == ';');
  };
  for_marks(source, [&](std::size_t from) {
    const auto found = declared(source, from, has_body);
    if (found && !found->name.empty() &&
        std::find(names.begin(), names.end(), found->name) == names.end())
      names.emplace_back(found->name);
    return false;
  });
  return names;
}

} // namespace gridsmith
