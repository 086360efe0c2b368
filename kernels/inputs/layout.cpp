// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/kernels/inputs/layout.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace gridsmith {
namespace {

std::uint64_t rounded_up(std::uint64_t bytes, std::uint64_t alignment) {
  return (bytes + alignment - 1) / alignment * alignment;
}

void place(Layout& whole, const std::string& name, const Layout& member) {
  for (const PlacedNumber& field : member.fields)
    whole.fields.push_back({name + field.name, field.type, whole.bytes + field.offset});
  whole.bytes += member.bytes;
  whole.alignment = std::max(whole.alignment, member.alignment);
}

/// The elements of an array but its first follow from the sizes.
bool is_checked(const std::string& name) {
  for (std::size_t at = name.find('['); at != name.npos; at = name.find('[', at + 1))
    if (name.compare(at, 3, "[0]") != 0)
      return false;
  return name.starts_with('.');
}

} // namespace

Layout layout_of(ElementType type) {
  return {size_of(type), size_of(type), {{"", type, 0}}};
}

Layout array_of(const Layout& one, std::uint64_t count) {
  Layout array{0, one.alignment};
  for (std::uint64_t i = 0; i < count; ++i)
    place(array, fmt::format("[{}]", i), one);
  return array;
}

void add_member(Layout& whole, std::string_view name, const Layout& member) {
  whole.bytes = rounded_up(whole.bytes, member.alignment);
  place(whole, fmt::format(".{}", name), member);
}

void finish(Layout& whole, std::uint64_t least) {
  whole.alignment = std::max(whole.alignment, least);
  whole.bytes = rounded_up(whole.bytes, whole.alignment);
}

Layout vector_layout(ElementType type, std::uint64_t count) {
  constexpr std::uint64_t widest_access = 16; // vector_types.h: double4 and long4 too
  Layout vector;
  for (std::uint64_t i = 0; i < count; ++i)
    add_member(vector, std::string_view("xyzw").substr(i, 1), layout_of(type));
  finish(vector, count == 3 ? 1 : std::min(widest_access, count * size_of(type)));
  return vector;
}

bool is_uniform(const Layout& layout) {
  const ElementType type = layout.fields.front().type;
  return layout.bytes == layout.fields.size() * size_of(type) &&
         std::all_of(layout.fields.begin(), layout.fields.end(),
                     [&](const PlacedNumber& field) { return field.type == type; });
}

std::string layout_checks(const Layout& layout, std::string_view cpp_type, std::string_view what) {
  // NVRTC has neither offsetof nor a built-in of GCC's name; this is its front end's own.
  std::string text =
      fmt::format("#ifdef __CUDACC_RTC__\nstatic_assert(sizeof({}) == {}, \"{}: its size is not {} "
                  "bytes\");\n",
                  cpp_type, layout.bytes, what, layout.bytes);
  for (const PlacedNumber& number : layout.fields)
    if (is_checked(number.name))
      text +=
          fmt::format("static_assert(__INTADDR__(&static_cast<{0}*>(nullptr)->{1}) == {2} && "
                      "sizeof(static_cast<{0}*>(nullptr)->{1}) == {3}, "
                      "\"{4}: {1} has not {3} bytes at offset {2}\");\n",
                      cpp_type, number.name.substr(1), number.offset, size_of(number.type), what);
  return text + "#endif\n";
}

} // namespace gridsmith
