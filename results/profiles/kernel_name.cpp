// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/results/profiles/kernel_name.hpp"

#include "gridsmith/base/text_layout.hpp"

#include <algorithm>
#include <cctype>
#include <vector>

namespace gridsmith {
namespace {

bool of_a_word(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '$' ||
         static_cast<unsigned char>(c) >= 0x80;
}

/// For each character how many brackets it stands in; a bracket itself stands outside of its pair.
/// What is "<" and no bracket ("operator<", "(a<b)") is closed by the bracket around it.
std::vector<int> depths(std::string_view text) {
  constexpr std::string_view opening = "<({[", closing = ">)}]";
  std::vector<int> depth(text.size());
  std::string open;
  std::size_t open_of[4] = {};
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    const bool of_operator = at >= 8 && text.substr(at - 8, 8) == "operator";
    const bool arrow = c == '>' && at > 0 && text[at - 1] == '-';
    const auto kind = of_operator || arrow ? closing.npos : closing.find(c);
    // a '>' closes only what was opened last, the others everything within them
    if (kind != closing.npos && open_of[kind] > 0 && (c != '>' || open.back() == '<'))
      for (bool closed = false; !closed; open.pop_back()) {
        closed = open.back() == opening[kind];
        --open_of[opening.find(open.back())];
      }
    depth[at] = static_cast<int>(open.size());
    if (opening.find(c) != opening.npos && !of_operator) {
      open += c;
      ++open_of[opening.find(c)];
    }
  }
  return depth;
}

/// Where the bracket that ends the text is opened; npos where none does.
std::size_t opened_by_last(std::string_view text, char bracket) {
  const std::vector<int> depth = depths(text);
  for (std::size_t at = text.size(); at-- > 0;)
    if (text[at] == bracket && depth[at] == 0)
      return at;
  return std::string_view::npos;
}

/// "transpose(float*, int) [231]", as nvprof numbers launches -> without the number.
std::string_view without_number(std::string_view text) {
  const auto open = text.rfind(" [");
  if (open == text.npos || !text.ends_with("]"))
    return text;
  const std::string_view inside = text.substr(open + 2, text.size() - open - 3);
  const bool number = !inside.empty() && std::all_of(inside.begin(), inside.end(), [](char c) {
    return std::isdigit(static_cast<unsigned char>(c));
  });
  return number ? trimmed(text.substr(0, open)) : text;
}

std::string_view without_parameters(std::string_view text) {
  if (text.ends_with(" const"))
    text.remove_suffix(6);
  if (!text.ends_with(")") || text.ends_with("operator()"))
    return text;
  const auto open = opened_by_last(text, '(');
  if (open == text.npos || open == 0 || text.substr(open) == "(anonymous namespace)")
    return text;
  return trimmed(text.substr(0, open));
}

/// The blank that is in no brackets and no "operator new" ends the return type.
std::string_view without_return_type(std::string_view text) {
  const std::vector<int> depth = depths(text);
  const auto before = std::min(text.find("operator"), text.size());
  for (std::size_t at = before; at-- > 0;)
    if (text[at] == ' ' && depth[at] == 0)
      return trimmed(text.substr(at + 1));
  return text;
}

/// Blanks only where two words need one.
std::string tight(std::string_view text) {
  std::string out;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] != ' ') {
      out += text[at];
      continue;
    }
    const auto next = text.find_first_not_of(' ', at);
    if (!out.empty() && next != text.npos && of_a_word(out.back()) && of_a_word(text[next]))
      out += ' ';
    at = next == text.npos ? text.size() : next - 1;
  }
  return out;
}

bool is_literal(std::string_view text) {
  if (text.starts_with("-"))
    text.remove_prefix(1);
  return !text.empty() && std::isdigit(static_cast<unsigned char>(text.front()));
}

/// "(int)32", "int=32", "32u" and "32" are one value, and so are "(bool)1", "bool=1" and "true".
std::string argument(std::string_view text) {
  std::string_view type, value = text;
  if (text.starts_with("(")) {
    const auto close = text.find(')');
    if (close != text.npos && is_literal(text.substr(close + 1))) {
      type = text.substr(1, close - 1);
      value = text.substr(close + 1);
    }
  } else if (const auto equals = text.find('=');
             equals != text.npos && is_literal(text.substr(equals + 1))) {
    type = text.substr(0, equals);
    value = text.substr(equals + 1);
  }
  if (type == "bool")
    return value == "0" ? "false" : "true";
  if (is_literal(value))
    while (value.size() > 1 && std::string_view("uUlL").find(value.back()) != value.npos)
      value.remove_suffix(1);
  return std::string(value);
}

std::string arguments(std::string_view text) {
  const std::string list = tight(text);
  const std::vector<int> depth = depths(list);
  std::string out;
  std::size_t begin = 0;
  for (std::size_t at = 0; at <= list.size(); ++at)
    if (at == list.size() || (list[at] == ',' && depth[at] == 0)) {
      out += (out.empty() ? "" : ", ") + argument(std::string_view(list).substr(begin, at - begin));
      begin = at + 1;
    }
  return out;
}

} // namespace

KernelName kernel_name(std::string_view printed) {
  std::string_view text = without_number(trimmed(printed));
  text = without_parameters(text);
  text = without_return_type(text);
  KernelName name{std::string(text), ""};
  if (text.ends_with(">"))
    if (const auto open = opened_by_last(text, '<'); open != text.npos && open > 0) {
      name.template_arguments = arguments(text.substr(open + 1, text.size() - open - 2));
      text = trimmed(text.substr(0, open));
    }
  if (!text.empty())
    name.base = tight(text);
  return name;
}

} // namespace gridsmith
