// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/kernels/source/words.hpp"

#include "gridsmith/kernels/source/letters.hpp"

#include <algorithm>

namespace gridsmith {
namespace {

/// Behind the closing quote, or the end of the line where there is none.
std::size_t behind_quotes(std::string_view text, std::size_t at) {
  const char quote = text[at];
  for (++at; at < text.size() && text[at] != '\n'; ++at)
    if (text[at] == '\\')
      ++at;
    else if (text[at] == quote)
      return at + 1;
  return std::min(at, text.size());
}

/// Behind a comment that begins here; `at` where none does.
std::size_t behind_comment(std::string_view text, std::size_t at) {
  if (text.substr(at).starts_with("//"))
    return std::min(text.find('\n', at), text.size());
  if (!text.substr(at).starts_with("/*"))
    return at;
  const std::size_t end = text.find("*/", at + 2);
  return end == text.npos ? text.size() : end + 2;
}

/// Each part of a text between comments.
template <typename Take>
void for_code(std::string_view text, const Take& take) {
  std::size_t begin = 0; // of code
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t behind = behind_comment(text, at);
    if (behind > at) {
      take(text.substr(begin, at - begin));
      begin = at = behind;
    } else {
      at = text[at] == '"' ? behind_quotes(text, at) : at + 1;
    }
  }
  take(text.substr(std::min(begin, text.size())));
}

} // namespace

void add_words(std::string_view text, WordSet& words) {
  for (std::size_t at = 0; at < text.size();) {
    if (!is_letter(text[at])) {
      // A number's suffix is none: skipped with it.
      const bool number = '0' <= text[at] && text[at] <= '9';
      ++at;
      while (number && at < text.size() && is_letter_or_digit(text[at]))
        ++at;
      continue;
    }
    const std::size_t begin = at;
    while (at < text.size() && is_letter_or_digit(text[at]))
      ++at;
    const std::string_view word = text.substr(begin, at - begin);
    if (words.find(word) == words.end())
      words.emplace(word);
  }
}

void add_code_words(std::string_view text, WordSet& words) {
  for_code(text, [&](std::string_view code) { add_words(code, words); });
}

bool is_in_code(std::string_view text, std::string_view first, std::string_view second) {
  bool found = false;
  for_code(text, [&](std::string_view code) {
    for (std::size_t at = 0; (at = code.find(second, at)) != code.npos; at += second.size()) {
      const std::size_t end = code.find_last_not_of(" \t\r\n", at - 1);
      found |= at > 0 && end != code.npos && code.substr(0, end + 1).ends_with(first);
    }
  });
  return found;
}

} // namespace gridsmith
