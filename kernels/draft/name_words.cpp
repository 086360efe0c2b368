// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/kernels/draft/name_words.hpp"

#include <algorithm>

namespace gridsmith {

std::string in_small_letters(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) {
    return static_cast<char>(c >= 'A' && c <= 'Z' ? c + 32 : c);
  });
  return text;
}

bool has_word(const std::string& name, std::initializer_list<std::string_view> parts) {
  const std::string text = in_small_letters(name);
  return std::any_of(parts.begin(), parts.end(),
                     [&](std::string_view part) { return text.find(part) != text.npos; });
}

} // namespace gridsmith
