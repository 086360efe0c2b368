// SPDX-License-Identifier: Apache-2.0
// The fields of a struct, listed once next to it and used by everything that writes or reads it:
// for_fields(value, visit) calls visit("name", member) for each, with a constant value when writing
// and a mutable one when reading. A field added there travels in messages, stores and recordings.
#pragma once

#include <array>
#include <concepts>
#include <string_view>
#include <type_traits>

namespace gridsmith {

/// T is U, or a constant U.
template <typename T, typename U>
concept Like = std::is_same_v<std::remove_const_t<T>, U>;

/// A struct whose fields are listed.
template <typename T>
concept Fielded = requires(T& value) { for_fields(value, [](const char*, auto&) {}); };

/// A field that had another name in files that people have kept.
struct FormerName {
  std::string_view now, then;
};

/// Of a struct: what is read under either name.
template <typename T>
inline constexpr std::array<FormerName, 0> former_names{};

} // namespace gridsmith
