// SPDX-License-Identifier: Apache-2.0
// Sums of structs with listed fields (base/fields.hpp), so that no sum forgets a field:
//   static_assert(lists_all_fields<Tally>()); // after the list
//   add_fields(sum, one);
#pragma once

#include "gridsmith/base/fields.hpp"

#include <cstddef>
#include <type_traits>

namespace gridsmith {

/// A value of any type, for counting.
struct AnyField {
  template <typename T>
  operator T() const;
};

/// How many members, and bases, an aggregate without arrays has.
template <typename T, typename... Found>
constexpr std::size_t count_members() {
  if constexpr (requires { T{Found{}..., AnyField{}}; })
    return count_members<T, Found..., AnyField>();
  else
    return sizeof...(Found);
}

/// Room for a value that need not be made: of a type that constant expressions have no values of.
template <typename T>
union Unmade {
  char none;
  T value;

  constexpr Unmade() : none() {}

  constexpr ~Unmade() {}
};

template <Fielded T>
constexpr std::size_t count_listed() {
  const Unmade<T> unmade;
  std::size_t count = 0;
  for_fields(unmade.value, [&](const char*, const auto&) { ++count; });
  return count;
}

/// Whether the list has every field, of a struct without arrays.
/// @tparam Within members and bases whose fields are listed in their place
template <Fielded T, Fielded... Within>
constexpr bool lists_all_fields() {
  return count_listed<T>() + sizeof...(Within) ==
         count_members<T>() + (std::size_t{} + ... + count_listed<Within>());
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
