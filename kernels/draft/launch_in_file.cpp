// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/kernels/draft/launch_in_file.hpp"

#include "gridsmith/kernels/draft/signature.hpp"

#include <algorithm>

namespace gridsmith {
namespace {

using Range = std::span<const Token>;

/// Between the place and `<<<`, in angle brackets of their own.
std::vector<std::string> templates_at(const Tokens& tokens, std::size_t first, std::size_t last) {
  std::vector<std::string> found;
  if (last > first + 2 && tokens[first].text == "<")
    for (const Range part : parts_of(Range(tokens).subspan(first + 1, last - first - 2)))
      found.push_back(text_of(part));
  return found;
}

/// `dim3 block(16, 16)`, `dim3 block = dim3(16, 16)`, `dim3 block{16, 16}`, `int block = 256`
std::vector<std::string> extents_of_name(const Tokens& tokens, std::string_view name,
                                         std::size_t before) {
  std::vector<std::string> found;
  for (std::size_t at = 1; at + 2 < before; ++at) {
    const std::string_view type = tokens[at - 1].text;
    if (tokens[at].text != name || (type != "dim3" && type != "int" && type != "unsigned" &&
                                    type != "size_t" && type != "auto"))
      continue;
    std::size_t open = at + 1;
    while (open < before && (tokens[open].text == "=" || tokens[open].text == "dim3"))
      ++open;
    if (tokens[open].text == "(" || tokens[open].text == "{") {
      found.clear();
      const std::size_t end = behind_bracket(tokens, open, before);
      for (const Range part : parts_of(Range(tokens).subspan(open + 1, end - open - 2)))
        found.push_back(text_of(part));
    } else if (open + 1 < before && tokens[open + 1].text == ";") {
      found = {std::string(tokens[open].text)};
    }
  }
  return found;
}

std::vector<std::string> block_of(const Tokens& tokens, Range part, std::size_t place) {
  if (part.size() == 1 && part[0].kind == TokenKind::number)
    return {std::string(part[0].text)};
  if (part.size() == 1) {
    auto extents = extents_of_name(tokens, part[0].text, place);
    return extents.empty() ? std::vector{std::string(part[0].text)} : extents;
  }
  std::vector<std::string> found;
  if (part.size() > 3 && part[0].text == "dim3" && part[1].text == "(")
    for (const Range one : parts_of(part.subspan(2, part.size() - 3)))
      found.push_back(text_of(one));
  return found;
}

/// "-9.5" of `-9.5f`; "" of what is no number.
std::string number_in(Range part) {
  const bool negative = part.size() == 2 && part[0].text == "-";
  if (part.size() != (negative ? 2 : 1) || part.back().kind != TokenKind::number)
    return "";
  std::string text(part.back().text);
  if (!text.starts_with("0x") && !text.starts_with("0X"))
    text.erase(text.find_last_not_of("fFuUlL") + 1);
  return (negative ? "-" : "") + text;
}

/// `const int steps = 9;` before the launch, and nothing else is assigned to it.
std::string constant_of_name(const Tokens& tokens, std::string_view name, std::size_t before) {
  std::string found;
  for (std::size_t at = 1; at + 3 < before; ++at) {
    if (tokens[at].text != name || tokens[at + 1].text != "=" || tokens[at - 1].text == ".")
      continue;
    std::size_t end = at + 2;
    while (end < before && tokens[end].text != ";" && tokens[end].text != ",")
      ++end;
    const std::string number = number_in(Range(tokens).subspan(at + 2, end - at - 2));
    if (number.empty() || (!found.empty() && found != number))
      return "";
    found = number;
  }
  return found;
}

std::vector<std::string> arguments_of(const Tokens& tokens, std::size_t open, std::size_t place) {
  std::vector<std::string> found;
  if (open >= tokens.size() || tokens[open].text != "(")
    return found;
  const std::size_t end = behind_bracket(tokens, open, tokens.size());
  for (const Range part : parts_of(Range(tokens).subspan(open + 1, end - open - 2))) {
    const bool name = part.size() == 1 && part[0].kind != TokenKind::number;
    found.push_back(name ? constant_of_name(tokens, part[0].text, place) : number_in(part));
  }
  return found;
}

} // namespace

std::optional<LaunchInFile> launch_of(const Tokens& tokens, const std::string& kernel) {
  constexpr std::size_t longest = 64; // tokens of template arguments
  for (std::size_t at = 0; at < tokens.size(); ++at) {
    if (tokens[at].text != kernel)
      continue;
    std::size_t open = at + 1;
    while (open < tokens.size() && open < at + longest && tokens[open].text != "<<<" &&
           tokens[open].text != ";" && tokens[open].text != "(")
      ++open;
    if (open >= tokens.size() || tokens[open].text != "<<<")
      continue;
    std::size_t end = open + 1;
    while (end < tokens.size() && tokens[end].text != ";" &&
           !(tokens[end].text == ">" && end + 2 < tokens.size() && tokens[end + 1].text == ">" &&
             tokens[end + 2].text == ">"))
      ++end;
    LaunchInFile launch{
        templates_at(tokens, at + 1, open), {}, arguments_of(tokens, end + 3, open)};
    const auto parts = parts_of(Range(tokens).subspan(open + 1, end - open - 1));
    if (parts.size() > 1)
      launch.block = block_of(tokens, parts[1], open);
    return launch;
  }
  return std::nullopt;
}

} // namespace gridsmith
