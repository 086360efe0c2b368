// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/base/utf16.hpp"

#include "gridsmith/base/file.hpp"
#include "gridsmith/base/safe_text.hpp"

namespace gridsmith {
namespace {

constexpr char32_t no_character = 0xFFFD;

unsigned unsigned_at(std::string_view text, std::size_t at) {
  return static_cast<unsigned char>(text[at]);
}

void append_utf8(std::string& out, char32_t character) {
  const auto byte = [&](char32_t bits) { out += static_cast<char>(bits); };
  const auto rest = [&](int shift) { byte(0x80 | ((character >> shift) & 0x3F)); };
  if (character < 0x80)
    return byte(character);
  if (character < 0x800)
    byte(0xC0 | (character >> 6));
  else if (character < 0x10000)
    byte(0xE0 | (character >> 12)), rest(6);
  else
    byte(0xF0 | (character >> 18)), rest(12), rest(6);
  rest(0);
}

/// Halves of pairs that stand alone, and half a unit at the end, become U+FFFD.
std::string utf8_of_utf16(std::string_view bytes, bool big_endian) {
  const auto unit = [&](std::size_t at) -> char32_t {
    return at + 1 >= bytes.size() ? 0
                                  : (unsigned_at(bytes, at + (big_endian ? 0 : 1)) << 8) |
                                        unsigned_at(bytes, at + (big_endian ? 1 : 0));
  };
  std::string out;
  out.reserve(bytes.size() / 2);
  for (std::size_t at = 0; at < bytes.size(); at += 2) {
    char32_t character = at + 1 < bytes.size() ? unit(at) : no_character;
    const char32_t low = unit(at + 2);
    if (character >= 0xD800 && character < 0xDC00 && low >= 0xDC00 && low < 0xE000) {
      character = 0x10000 + ((character - 0xD800) << 10) + (low - 0xDC00);
      at += 2;
    } else if (character >= 0xD800 && character < 0xE000) {
      character = no_character;
    }
    append_utf8(out, character);
  }
  return out;
}

/// Whether the first characters are ASCII in UTF-16 of this order.
bool looks_like_utf16(std::string_view bytes, bool big_endian) {
  constexpr std::size_t enough = 8; // bytes
  if (bytes.size() < enough)
    return false;
  for (std::size_t at = 0; at < enough; ++at)
    if ((unsigned_at(bytes, at) == 0) != ((at % 2 == 0) == big_endian))
      return false;
  return true;
}

} // namespace

std::string utf8_of_file(std::string_view bytes) {
  for (const bool big_endian : {false, true}) {
    const std::string_view mark = big_endian ? "\xFE\xFF" : "\xFF\xFE";
    if (bytes.starts_with(mark))
      return utf8_of_utf16(bytes.substr(mark.size()), big_endian);
    if (looks_like_utf16(bytes, big_endian))
      return utf8_of_utf16(bytes, big_endian);
  }
  constexpr std::string_view utf8_mark = "\xEF\xBB\xBF";
  return well_formed(bytes.starts_with(utf8_mark) ? bytes.substr(utf8_mark.size()) : bytes);
}

std::string read_as_utf8(const std::filesystem::path& file) {
  return utf8_of_file(read_unpacked(file));
}

} // namespace gridsmith
