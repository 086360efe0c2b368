// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/kernels/reading/read_element_type.hpp"

#include "gridsmith/base/error.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace gridsmith {
namespace {

constexpr std::pair<std::string_view, ElementType> types[] = {
    {"float", ElementType::float32},  {"float32", ElementType::float32},
    {"double", ElementType::float64}, {"float64", ElementType::float64},
    {"half", ElementType::float16},   {"float16", ElementType::float16},
    {"int8", ElementType::int8},      {"char", ElementType::int8},
    {"uint8", ElementType::uint8},    {"uchar", ElementType::uint8},
    {"int16", ElementType::int16},    {"short", ElementType::int16},
    {"uint16", ElementType::uint16},  {"ushort", ElementType::uint16},
    {"int32", ElementType::int32},    {"int", ElementType::int32},
    {"uint32", ElementType::uint32},  {"uint", ElementType::uint32},
    {"int64", ElementType::int64},    {"long", ElementType::int64},
    {"uint64", ElementType::uint64},  {"ulong", ElementType::uint64},
    {"size_t", ElementType::uint64},  {"bool", ElementType::uint8},
};

const auto* find_type(std::string_view name) {
  const auto* found = std::find_if(std::begin(types), std::end(types),
                                   [&](const auto& type) { return type.first == name; });
  return found == std::end(types) ? nullptr : found;
}

/// Of float4 and the like; "" of what is no such type.
std::string vector_hint(const std::string& name) {
  if (name.empty() || std::string_view("234").find(name.back()) == std::string_view::npos)
    return "";
  const auto* one = find_type(name.substr(0, name.size() - 1));
  return one ? fmt::format("unknown type '{}'; give '{}' and {} times the Size", name, one->first,
                           name.back())
             : "";
}

} // namespace

ElementType read_element_type(const JsonField& field, bool is_vector) {
  const std::string name = field.text();
  if (const auto* type = find_type(name))
    return type->second;
  std::vector<std::string> valid;
  for (const auto& [known, type] : types)
    valid.emplace_back(known);
  if (!is_vector)
    field.fail(unknown_name("type", name, valid));
  if (const std::string hint = vector_hint(name); !hint.empty())
    field.fail(hint);
  field.fail(unknown_name("type", name, valid) +
             (nearest_name(name, valid).empty()
                  ? "; an array of structs: give its bytes as int32, with a File"
                  : ""));
}

} // namespace gridsmith
