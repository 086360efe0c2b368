// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/base/safe_text.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <utility>

namespace gridsmith {
namespace {

constexpr char32_t replacement = 0xFFFD;
constexpr std::string_view replacement_bytes = "\xEF\xBF\xBD";

unsigned byte_at(std::string_view text, std::size_t at) {
  return static_cast<unsigned char>(text[at]);
}

/// Of the character that begins with this byte; 0 for a byte that begins none.
std::size_t length_of(unsigned first) {
  return first < 0x80                    ? 1
         : first >= 0xC2 && first < 0xE0 ? 2
         : first >= 0xE0 && first < 0xF0 ? 3
         : first >= 0xF0 && first < 0xF5 ? 4
                                         : 0;
}

/// Calls use(character, its bytes) for each; a bad byte is U+FFFD and itself.
template <typename Use>
void for_characters(std::string_view text, const Use& use) {
  while (!text.empty()) {
    char32_t character = 0;
    const std::string_view rest = take_character(text, character);
    use(character, text.substr(0, text.size() - rest.size()));
    text = rest;
  }
}

std::string shown(std::string_view text, bool lines) {
  std::string out;
  out.reserve(text.size());
  for_characters(text, [&](char32_t character, std::string_view bytes) {
    if (character == '\n' && lines)
      out += '\n';
    else if (character == '\n' || character == '\r' || character == '\t')
      out += ' ';
    else
      out += character == replacement || is_control(character) ? replacement_bytes : bytes;
  });
  return out;
}

bool is_number(std::string_view text) {
  if (text.starts_with('+'))
    text.remove_prefix(1);
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc{} && end == text.data() + text.size();
}

} // namespace

std::string_view take_character(std::string_view text, char32_t& character) {
  constexpr std::array<char32_t, 5> least = {0, 0, 0x80, 0x800, 0x10000}; // by length
  constexpr std::array<unsigned, 5> first_bits = {0, 0x7F, 0x1F, 0x0F, 0x07};
  const std::size_t length = length_of(byte_at(text, 0));
  character = replacement;
  if (length == 0 || length > text.size())
    return text.substr(1);
  char32_t code = byte_at(text, 0) & first_bits[length];
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte_at(text, i) & 0xC0) != 0x80)
      return text.substr(1);
    code = (code << 6) | (byte_at(text, i) & 0x3F);
  }
  const bool surrogate = code >= 0xD800 && code < 0xE000;
  if (code < least[length] || code > 0x10FFFF || surrogate)
    return text.substr(1);
  character = code;
  return text.substr(length);
}

bool is_control(char32_t character) {
  // Unicode: C0, DEL and C1; Arabic letter mark; direction marks; line and paragraph separator and
  // embeddings; isolates; byte order mark.
  constexpr std::array<std::pair<char32_t, char32_t>, 7> ranges = {{{0x00, 0x1F},
                                                                    {0x7F, 0x9F},
                                                                    {0x61C, 0x61C},
                                                                    {0x200E, 0x200F},
                                                                    {0x2028, 0x202E},
                                                                    {0x2066, 0x2069},
                                                                    {0xFEFF, 0xFEFF}}};
  return std::any_of(ranges.begin(), ranges.end(), [&](const auto& range) {
    return character >= range.first && character <= range.second;
  });
}

std::string well_formed(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const auto plain =
        std::find_if(text.begin(), text.end(), [](char c) { return (c & 0x80) != 0; });
    const auto count = static_cast<std::size_t>(plain - text.begin()); // most files are ASCII
    out += text.substr(0, count);
    text.remove_prefix(count);
    if (text.empty())
      break;
    char32_t character = 0;
    const std::string_view rest = take_character(text, character);
    out += character == replacement ? replacement_bytes : text.substr(0, text.size() - rest.size());
    text = rest;
  }
  return out;
}

std::string printable(std::string_view text) {
  return shown(text, false);
}

std::string printable_lines(std::string_view text) {
  return shown(text, true);
}

std::string csv_field(std::string_view text) {
  std::string field = printable(text);
  if (!field.empty() && std::string_view("=+-@").find(field.front()) != std::string_view::npos &&
      !is_number(field))
    field.insert(0, 1, '\'');
  if (field.find_first_of(",\"") == std::string::npos)
    return field;
  std::string quoted = "\"";
  for (const char c : field)
    quoted.append(c == '"' ? 2 : 1, c);
  return quoted + '"';
}

std::string html_escaped(std::string_view text) {
  std::string out;
  for (const char c : text)
    switch (c) {
    case '&':
      out += "&amp;";
      break;
    case '<':
      out += "&lt;";
      break;
    case '>':
      out += "&gt;";
      break;
    case '"':
      out += "&quot;";
      break;
    case '\'':
      out += "&#39;";
      break;
    default:
      out += c;
    }
  return out;
}

} // namespace gridsmith
