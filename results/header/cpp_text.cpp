// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/results/header/cpp_text.hpp"

#include "gridsmith/base/safe_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <string_view>

namespace gridsmith {
namespace {

constexpr std::array<std::string_view, 105> keywords = {
    "alignas", "alignof", "and", "and_eq", "asm", "auto", "bitand", "bitor", "bool", "break",
    "case", "catch", "char", "char16_t", "char32_t", "char8_t", "class", "co_await", "co_return",
    "co_yield", "compl", "concept", "const", "const_cast", "consteval", "constexpr", "constinit",
    "continue", "decltype", "default", "delete", "do", "double", "else", "enum", "explicit",
    "export", "extern", "false", "float", "for", "friend", "goto", "if", "inline", "int", "long",
    "mutable", "namespace", "new", "noexcept", "not", "not_eq", "nullptr", "operator", "or",
    "or_eq", "private", "protected", "public", "register", "reinterpret_cast", "requires", "return",
    "short", "signed", "sizeof", "static", "static_assert", "static_cast", "struct", "switch",
    "template", "this", "thread_local", "throw", "true", "try", "typedef", "typeid", "typename",
    "union", "unsigned", "using", "virtual", "void", "volatile", "wchar_t", "while", "xor",
    "xor_eq", "dynamic_cast", "unix",
    // Macros, and the namespace, that others bring.
    "linux", "i386", "errno", "NULL", "EOF", "NAN", "INFINITY", "assert", "stdin", "stdout",
    "stderr", "std"};

} // namespace

std::string identifier(const std::string& name) {
  std::string out;
  for (const char c : name)
    out += std::isalnum(static_cast<unsigned char>(c)) ? c : '_';
  for (auto at = out.find("__"); at != out.npos; at = out.find("__")) // reserved anywhere
    out.erase(at, 1);
  if (out.starts_with('_')) // may be reserved
    out.erase(0, 1);
  const auto bad_start = out.empty() || std::isdigit(static_cast<unsigned char>(out[0]));
  out.insert(0, bad_start ? "p_" : "");
  const bool keyword = std::find(keywords.begin(), keywords.end(), out) != keywords.end();
  return out + (keyword ? "_" : "");
}

std::string identifier_beside(const std::string& name, std::set<std::string>& used) {
  const std::string plain = identifier(name);
  std::string out = plain;
  for (int i = 2; !used.insert(out).second; ++i)
    out = fmt::format("{}{}{}", plain, plain.ends_with('_') ? "" : "_", i);
  return out;
}

std::string string_literal(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\')
      out += {'\\', c};
    else if (c == '?') // no trigraph
      out += "\\?";
    else if (c >= ' ' && c <= '~')
      out += c;
    else // octal has three digits at most and so cannot take the character after it along
      out += fmt::format("\\{:03o}", static_cast<unsigned char>(c));
  }
  return out + '"';
}

std::string comment_text(const std::string& text) {
  std::string line = printable(text);
  std::replace(line.begin(), line.end(), '\\', ' ');
  return line;
}

std::string real_literal(double number) {
  const std::string text = fmt::format("{}", number); // the shortest that reads back as the same
  return text.find_first_of(".en") == text.npos ? text + ".0" : text;
}

} // namespace gridsmith
