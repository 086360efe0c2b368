// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/tuner/compiler/log/leading_headers.hpp"

#include "gridsmith/kernels/source/letters.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace gridsmith {
namespace {

bool in_word(char c) {
  return is_letter(c) || is_digit(c);
}

std::size_t skip_blanks(std::string_view text, std::size_t at) {
  while (at < text.size() && (text[at] == ' ' || text[at] == '\t' || text[at] == '\r'))
    ++at;
  return at;
}

/// Behind comments, blanks and ends of lines.
std::size_t skip_comments(std::string_view text, std::size_t at) {
  while (at < text.size()) {
    const std::size_t before = at;
    at = skip_blanks(text, at);
    if (at < text.size() && text[at] == '\n')
      ++at;
    else if (text.substr(at).starts_with("//"))
      at = std::min(text.find('\n', at), text.size());
    else if (text.substr(at).starts_with("/*")) {
      const std::size_t end = text.find("*/", at + 2);
      at = end == text.npos ? text.size() : end + 2;
    }
    if (at == before)
      break;
  }
  return at;
}

/// Behind `#include <name>` and the end of its line; none where that is not what is here.
std::optional<std::size_t> skip_include(std::string_view text, std::size_t at,
                                        const std::set<std::string>& own) {
  if (at >= text.size() || text[at] != '#')
    return std::nullopt;
  at = skip_blanks(text, at + 1);
  constexpr std::string_view word = "include";
  if (!text.substr(at).starts_with(word))
    return std::nullopt;
  at = skip_blanks(text, at + word.size());
  const std::size_t close = text.find_first_of(">\n", at);
  if (at >= text.size() || text[at] != '<' || close == text.npos || text[close] == '\n' ||
      own.contains(std::string(text.substr(at + 1, close - at - 1))))
    return std::nullopt;
  const std::size_t end = std::min(text.find('\n', close), text.size());
  std::string_view rest = text.substr(close + 1, end - close - 1);
  rest.remove_prefix(skip_blanks(rest, 0));
  if (!rest.empty() && !rest.starts_with("//"))
    return std::nullopt; // a comment that may go on, or what is no include
  if (rest.ends_with('\\'))
    return std::nullopt;
  return std::min(end + 1, text.size());
}

} // namespace

std::size_t leading_includes(std::string_view text, const std::set<std::string>& own) {
  std::size_t leading = 0;
  while (const auto next = skip_include(text, skip_comments(text, leading), own))
    leading = *next;
  return leading;
}

std::optional<MacrosApart> split_options(const std::vector<std::string>& options) {
  MacrosApart split;
  for (const std::string& option : options) {
    if (option.starts_with("--pre-include") || option.starts_with("--preinclude") ||
        option.starts_with("-U") || option.starts_with("--undefine-macro") ||
        option.starts_with("--define-macro") || option == "-D")
      return std::nullopt;
    if (!option.starts_with("-D")) {
      split.others.push_back(option);
      continue;
    }
    const std::string macro = option.substr(2);
    const std::size_t equal = std::min(macro.find('='), macro.size());
    const std::string name = macro.substr(0, equal);
    const std::string value = equal < macro.size() ? macro.substr(equal + 1) : "1";
    if (name.empty() || !is_letter(name.front()) ||
        !std::all_of(name.begin(), name.end(), in_word) || value.find('\n') != value.npos ||
        value.ends_with('\\'))
      return std::nullopt;
    split.macros.push_back({name, value});
  }
  return split;
}

std::string with_stop(std::string_view text, std::size_t leading, const std::string& file,
                      const std::vector<Macro>& macros) {
  std::string all(text.substr(0, leading));
  all += "#pragma nv_hdrstop\n";
  for (const Macro& macro : macros)
    all += "#define " + macro.name + " " + macro.value + "\n";
  const auto line =
      1 + std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(leading), '\n');
  all += fmt::format("#line {} \"{}\"\n", line, file);
  all += text.substr(leading);
  return all;
}

} // namespace gridsmith
