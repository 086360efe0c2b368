// SPDX-License-Identifier: Apache-2.0
// Enumerations as words: one list per enumeration, next to it, for people, files and messages.
#pragma once

#include "gridsmith/base/error.hpp"

#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace gridsmith {

/// Specialised per enumeration: `kind`, what one is called ("status"), and `list`, the words in the
/// order of the enumerators, which count from 0.
template <typename Enum>
struct Words;

template <typename Enum>
concept Worded = std::is_enum_v<Enum> && requires { Words<Enum>::list.size(); };

template <Worded Enum>
constexpr std::string_view to_text(Enum value) {
  return Words<Enum>::list[static_cast<std::size_t>(value)];
}

/// @throws InputError listing the words.
template <Worded Enum>
Enum from_text(std::string_view text) {
  const auto& list = Words<Enum>::list;
  for (std::size_t i = 0; i < list.size(); ++i)
    if (list[i] == text)
      return static_cast<Enum>(i);
  const std::vector<std::string> choices(list.begin(), list.end());
  throw InputError(unknown_name(Words<Enum>::kind, text, choices));
}

} // namespace gridsmith
