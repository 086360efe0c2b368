// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/tuner/cli/definitions/macro_hint.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <sstream>
#include <string_view>

namespace gridsmith {
namespace {

const SourceFile* file_named(const SourceBundle& source, const std::string& name) {
  if (source.main.name == name)
    return &source.main;
  for (const SourceFile& header : source.headers)
    if (header.name == name)
      return &header;
  return nullptr;
}

/// The line that "file(12): error: …" names; "" where it is not of the bundle.
std::string line_of(const std::string& error, const SourceBundle& source) {
  const std::size_t colon = error.find("): error: ");
  const std::size_t open = error.rfind('(', colon);
  if (colon == std::string::npos || open == std::string::npos)
    return "";
  const SourceFile* file = file_named(source, error.substr(0, open));
  std::size_t number = 0;
  std::from_chars(error.data() + open + 1, error.data() + colon, number);
  std::istringstream lines(file ? file->text : "");
  std::string line;
  for (std::size_t i = 0; i < number; ++i)
    if (!std::getline(lines, line))
      return "";
  return line;
}

bool has_word(const std::string& line, const std::string& word) {
  const auto is_part = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) || c == '_';
  };
  for (std::size_t at = 0; (at = line.find(word, at)) != std::string::npos; at += word.size())
    if ((at == 0 || !is_part(line[at - 1])) &&
        (at + word.size() == line.size() || !is_part(line[at + word.size()])))
      return true;
  return false;
}

/// Whether CUDA's own header, which NVRTC reads in front of any source, uses the name as its own:
/// template parameters and arguments, vector types, and functions.
bool is_of_builtin_header(const std::string& name) {
  constexpr std::array<std::string_view, 14> types{
      "char",  "uchar", "short",  "ushort",   "int",       "uint", "long",
      "ulong", "float", "double", "longlong", "ulonglong", "dim",  "half"};
  constexpr std::array<std::string_view, 12> others{
      "min", "max", "abs", "size", "value", "type", "size_t", "std", "move", "ptr", "val", "rhs"};
  const auto has = [](const auto& list, std::string_view word) {
    return std::find(list.begin(), list.end(), word) != list.end();
  };
  const bool short_name = name.size() <= 2 || (name.size() == 3 && name.front() == '_');
  const bool vector = std::string_view("1234").find(name.back()) != std::string_view::npos &&
                      has(types, std::string_view(name).substr(0, name.size() - 1));
  return short_name || vector || has(others, name) || name.starts_with("__");
}

/// The header's text is not at hand: those that it may use are named, else all.
std::string builtin_hint(const std::vector<Parameter>& parameters) {
  std::vector<std::string> likely, all;
  all.reserve(parameters.size());
  for (const Parameter& parameter : parameters) {
    all.push_back("'" + parameter.name + "'");
    if (is_of_builtin_header(parameter.name))
      likely.push_back(all.back());
  }
  const std::vector<std::string>& named = likely.empty() ? all : likely;
  return fmt::format("; a parameter is a macro, and CUDA's own header uses its name: rename {}{}",
                     named.size() > 1 ? "one of " : "", fmt::join(named, ", "));
}

/// CUDA's __shared__ and its like are macros of attributes: a macro "shared" changes them.
std::string attribute_hint(const std::string& line, const std::vector<Parameter>& parameters) {
  for (const Parameter& parameter : parameters)
    for (const Value& value : parameter.values)
      if (const auto* word = std::get_if<std::string>(&value);
          word && has_word(line, "__" + *word + "__"))
        return "; if '" + *word + "', a value of " + parameter.name + ", is a macro, __" + *word +
               "__ is changed by it";
  return "";
}

} // namespace

std::string macro_hint(const std::string& error, const SourceBundle& source,
                       const std::vector<Parameter>& parameters) {
  if (error.starts_with("__nv_nvrtc_builtin_header.h("))
    return builtin_hint(parameters);
  if (error.find("expected") == std::string::npos) // of syntax: "expected a ','"
    return "";
  const std::string line = line_of(error, source);
  if (const std::string hint = attribute_hint(line, parameters); !hint.empty())
    return hint;
  std::string names;
  std::size_t count = 0;
  for (const Parameter& parameter : parameters)
    if (has_word(line, parameter.name)) {
      names += (names.empty() ? "" : ", ") + parameter.name;
      ++count;
    }
  return count == 0   ? ""
         : count == 1 ? "; " + names + " is a macro here, because it is a parameter"
                      : "; " + names + " are macros here, because they are parameters";
}

} // namespace gridsmith
