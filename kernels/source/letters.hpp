// SPDX-License-Identifier: Apache-2.0
// What identifiers of C are made of. Not of the locale.
#pragma once

namespace gridsmith {

constexpr bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

constexpr bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

constexpr bool is_letter_or_digit(char c) {
  return is_letter(c) || is_digit(c);
}

} // namespace gridsmith
