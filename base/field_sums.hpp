// SPDX-License-Identifier: Apache-2.0
// Sums of structs with listed fields (base/fields.hpp), so that no sum forgets a field:
//   static_assert(lists_all_fields<Tally>()); // after the list
//   add_fields(sum, one);
#pragma once

#include "gridsmith/base/fields.hpp"

#include <cstddef>
#include <type_traits>

namespace gridsmith {

/// Whether the list has every field, of a struct that has no padding.
template <Fielded T>
constexpr bool lists_all_fields() {
  const T value{};
  std::size_t bytes = 0;
  for_fields(value, [&](const char*, const auto& field) { bytes += sizeof field; });
  return bytes == sizeof(T);
}

/// work(field of a, field of b) for each that is listed.
template <Fielded T>
constexpr void for_both(T& a, const T& b, auto&& work) {
  std::size_t place = 0;
  for_fields(a, [&](const char*, auto& of_a) {
    std::size_t other = 0;
    for_fields(b, [&](const char*, const auto& of_b) {
      if constexpr (std::is_same_v<std::remove_cvref_t<decltype(of_a)>,
                                   std::remove_cvref_t<decltype(of_b)>>)
        if (other == place)
          work(of_a, of_b);
      ++other;
    });
    ++place;
  });
}

/// Numbers are added; where a value is optional, the first that is there stays.
template <Fielded T>
constexpr void add_fields(T& sum, const T& one) {
  for_both(sum, one, []<typename F>(F& to, const F& from) {
    if constexpr (Fielded<F>)
      add_fields(to, from);
    else if constexpr (std::is_arithmetic_v<F>)
      to += from;
    else if (!to)
      to = from;
  });
}

/// The reverse, of numbers alone.
template <Fielded T>
constexpr void subtract_fields(T& sum, const T& one) {
  for_both(sum, one, []<typename F>(F& from, const F& what) {
    if constexpr (Fielded<F>)
      subtract_fields(from, what);
    else
      from -= what;
  });
}

} // namespace gridsmith
