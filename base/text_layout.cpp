// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/base/text_layout.hpp"

#include <algorithm>
#include <cctype>
#include <sstream>

namespace gridsmith {
namespace {

constexpr std::size_t narrow_column = 4;

bool continues_character(char c) {
  return (static_cast<unsigned char>(c) & 0xC0) == 0x80;
}

} // namespace

std::string counted(std::uint64_t count, const std::string& noun) {
  const char* const more = noun.ends_with("ch") ? "es" : "s";
  return std::to_string(count) + " " + noun + (count == 1 ? "" : more);
}

std::string some_of(std::span<const std::string> list, std::size_t most) {
  std::string text;
  for (const std::string& one : list.first(std::min(most, list.size())))
    text += (text.empty() ? "" : ", ") + one;
  return list.size() > most ? text + " and " + std::to_string(list.size() - most) + " more" : text;
}

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view blanks = " \t\r\n";
  const std::size_t first = text.find_first_not_of(blanks);
  return first == text.npos ? std::string_view{}
                            : text.substr(first, text.find_last_not_of(blanks) + 1 - first);
}

std::string lower_case(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

std::size_t width_of(std::string_view text) {
  return text.size() -
         static_cast<std::size_t>(std::count_if(text.begin(), text.end(), continues_character));
}

std::size_t widest_line(const std::string& text) {
  std::size_t widest = 0;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);)
    widest = std::max(widest, width_of(line));
  return widest;
}

std::size_t widest_word(const std::string& text) {
  std::size_t widest = 0;
  std::istringstream words(text);
  for (std::string word; words >> word;)
    widest = std::max(widest, width_of(word));
  return widest;
}

std::string cut(const std::string& text, std::size_t width) {
  if (width_of(text) <= width)
    return text;
  std::size_t end = 0;
  for (std::size_t shown = 0; shown + 1 < width; ++shown)
    do
      ++end;
    while (continues_character(text[end]));
  return text.substr(0, end) + "…";
}

std::string wrapped(const std::string& text, std::size_t width, std::size_t indent) {
  std::string all = text.substr(0, std::min(text.find_first_not_of(' '), text.size()));
  std::size_t used = all.size(); // in the line so far
  bool first = true;             // word of a line
  for (std::size_t at = all.size(); at < text.size();) {
    const std::size_t end = std::min(text.find(' ', at), text.size());
    const std::string word = text.substr(at, end - at);
    at = end + 1;
    if (!first && used + 1 + width_of(word) > width) {
      all += '\n' + std::string(indent, ' ');
      used = indent;
      first = true;
    }
    all += (first ? "" : " ") + word;
    used += width_of(word) + (first ? 0 : 1);
    first = false;
  }
  return all;
}

std::string two_columns(const std::string& title, const std::string& text, std::size_t column,
                        std::size_t width) {
  const std::size_t used = width_of(title);
  const std::size_t widest = widest_word(text);
  if (column + widest > width) // a word of the text is wider than its column
    column = std::min(column, width > narrow_column + widest ? width - widest : narrow_column);
  const std::string indent(column, ' ');
  std::string all = title;
  all += used > column || (used + 1 > column && !title.ends_with(' '))
             ? '\n' + indent
             : std::string(column - used, ' ');
  const std::string lines = wrapped(text, width - column, 0);
  for (const char c : lines)
    all += c == '\n' ? '\n' + indent : std::string(1, c);
  return all.substr(0, all.find_last_not_of(" \n") + 1) + '\n';
}

} // namespace gridsmith
