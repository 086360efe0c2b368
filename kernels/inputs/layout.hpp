// SPDX-License-Identifier: Apache-2.0
// Where the numbers of a C++ type lie in memory: the one place that knows the rules of C.
//
// A member begins at the next multiple of its alignment; a struct has the largest alignment of its
// members, and its size is a multiple of that. Bit fields, packed structs and base classes are not
// described: such a type is given as bytes.
#pragma once

#include "gridsmith/kernels/inputs/element_type.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace gridsmith {

/// Bytes that the arguments of a kernel may have together (CUDA C++ Programming Guide, "Function
/// Parameters", compute capability 7.0 and later).
inline constexpr std::uint64_t largest_struct_bytes = 32764;

/// One number in a type. The name is what C++ writes after the variable's: ".x", ".cells[2].n", or ""
/// where the type is a number itself.
struct PlacedNumber {
  std::string name;
  ElementType type = ElementType::int32;
  std::uint64_t offset = 0; ///< bytes
};

struct Layout {
  std::uint64_t bytes = 0;
  std::uint64_t alignment = 1;
  std::vector<PlacedNumber> fields = {}; ///< in the order of their offsets
};

Layout layout_of(ElementType type);
/// @pre count times the bytes of `one` are at most largest_struct_bytes
Layout array_of(const Layout& one, std::uint64_t count);
/// @pre whole is not finished
void add_member(Layout& whole, std::string_view name, const Layout& member);
/// What no further member follows. @param least alignment in bytes, a power of two
void finish(Layout& whole, std::uint64_t least = 1);

/// Of CUDA's vector types, `count` numbers named x, y, z, w: float4, half2.
Layout vector_layout(ElementType type, std::uint64_t count);

/// Whether the type is numbers of one type without gaps, so that a vector of it is one of them.
bool is_uniform(const Layout& layout);

/// static_assert that the C++ type has this size, and each field its place and size.
/// @param what in the messages: who says so
std::string layout_checks(const Layout& layout, std::string_view cpp_type, std::string_view what);

} // namespace gridsmith
