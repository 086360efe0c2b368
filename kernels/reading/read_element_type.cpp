// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/kernels/reading/read_element_type.hpp"

#include <algorithm>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace gridsmith {
namespace {

constexpr std::pair<std::string_view, ElementType> type_names[] = {
    {"float", ElementType::float32},
    {"float32", ElementType::float32},
    {"double", ElementType::float64},
    {"float64", ElementType::float64},
    {"half", ElementType::float16},
    {"float16", ElementType::float16},
    {"int8", ElementType::int8},
    {"char", ElementType::int8},
    {"uint8", ElementType::uint8},
    {"uchar", ElementType::uint8},
    {"int16", ElementType::int16},
    {"short", ElementType::int16},
    {"uint16", ElementType::uint16},
    {"ushort", ElementType::uint16},
    {"int32", ElementType::int32},
    {"int", ElementType::int32},
    {"uint32", ElementType::uint32},
    {"uint", ElementType::uint32},
    {"int64", ElementType::int64},
    {"long", ElementType::int64},
    {"uint64", ElementType::uint64},
    {"ulong", ElementType::uint64},
    {"size_t", ElementType::uint64},
    {"bool", ElementType::uint8},
    {"longlong", ElementType::int64},
    {"ulonglong", ElementType::uint64},
    {"unsigned", ElementType::uint32},
    {"unsigned int", ElementType::uint32},
    {"unsigned char", ElementType::uint8},
    {"unsigned short", ElementType::uint16},
    {"unsigned long", ElementType::uint64},
    {"long long", ElementType::int64},
    {"unsigned long long", ElementType::uint64},
};

const auto* find_type(std::string_view name) {
  const auto* found = std::find_if(std::begin(type_names), std::end(type_names),
                                   [&](const auto& type) { return type.first == name; });
  return found == std::end(type_names) ? nullptr : found;
}

/// What CUDA makes vectors of up to four of; of half, two.
bool has_vectors(std::string_view name) {
  constexpr std::string_view names[] = {"char",     "uchar",     "short", "ushort",
                                        "int",      "uint",      "long",  "ulong",
                                        "longlong", "ulonglong", "float", "double"};
  return std::find(std::begin(names), std::end(names), name) != std::end(names);
}

} // namespace

std::vector<std::string> number_names() {
  std::vector<std::string> names;
  for (const auto& [name, type] : type_names)
    names.emplace_back(name);
  return names;
}

std::optional<Layout> builtin_layout(const std::string& name) {
  if (const auto* type = find_type(name))
    return layout_of(type->second);
  const std::string_view one = std::string_view(name).substr(0, name.empty() ? 0 : name.size() - 1);
  const int count = name.empty() ? 0 : name.back() - '0';
  if ((one == "half" && count == 2) || (has_vectors(one) && count >= 1 && count <= 4))
    return vector_layout(find_type(one)->second, static_cast<std::uint64_t>(count));
  return std::nullopt;
}

} // namespace gridsmith
