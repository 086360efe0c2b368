// SPDX-License-Identifier: Apache-2.0
// Lists of entries that have a `name`.
#pragma once

#include "gridsmith/base/error.hpp"

#include <iterator>
#include <string>
#include <string_view>
#include <vector>

namespace gridsmith {

/// In the order of the entries.
template <typename List>
std::vector<std::string> names_in(const List& list) {
  std::vector<std::string> names;
  names.reserve(std::size(list));
  for (const auto& one : list)
    names.emplace_back(one.name);
  return names;
}

/// The first of this name; nullptr: there is none.
template <typename List>
auto find_named(std::string_view name, const List& list) -> decltype(&*std::begin(list)) {
  for (const auto& one : list)
    if (one.name == name)
      return &one;
  return nullptr;
}

/// … @throws InputError: unknown_name()
template <typename List>
const auto& entry_named(std::string_view name, const List& list, std::string_view kind) {
  if (const auto* found = find_named(name, list))
    return *found;
  throw InputError(unknown_name(kind, name, names_in(list)));
}

} // namespace gridsmith
