// SPDX-License-Identifier: Apache-2.0
// A value every member of which differs from a fresh one's and from its neighbours', by its list of fields:
// what a copy forgets is seen.
#pragma once

#include "gridsmith/base/json_fields.hpp"

#include <map>
#include <string>
#include <type_traits>
#include <vector>

namespace gridsmith::test {

template <typename T>
void make_distinct(T& value, int& next) {
  if constexpr (std::is_same_v<T, bool>)
    value = !value;
  else if constexpr (std::is_arithmetic_v<T>)
    value = static_cast<T>(++next);
  else if constexpr (std::is_enum_v<T>)
    value = static_cast<T>(value == T{} ? 1 : 0);
  else if constexpr (std::is_same_v<T, std::string>)
    value = std::to_string(++next);
  else if constexpr (std::is_same_v<T, Configuration>)
    value = {{"x", std::int64_t{++next}}};
  else if constexpr (std::is_same_v<T, std::map<std::string, double>>)
    value = {{"counter", ++next}};
  else if constexpr (std::is_array_v<T>)
    for (auto& one : value)
      make_distinct(one, next);
  else if constexpr (fields::is_optional<T>)
    make_distinct(value.emplace(), next);
  else if constexpr (fields::is_vector<T>)
    make_distinct(value.emplace_back(), next);
  else
    for_fields(value, [&](const char*, auto& member) { make_distinct(member, next); });
}

/// The names of the members that differ, sorted.
template <typename T>
std::vector<std::string> differing(const T& a, const T& b) {
  const nlohmann::json one = to_fields(a, Fields::all), other = to_fields(b, Fields::all);
  std::vector<std::string> names;
  for (const auto& [name, value] : one.items())
    if (value != other.at(name))
      names.push_back(name);
  return names;
}

} // namespace gridsmith::test
