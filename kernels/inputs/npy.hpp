// SPDX-License-Identifier: Apache-2.0
// The head of a .npy file (NumPy's format, versions 1 to 3): an array of numbers, little-endian or of one
// byte each, rows one after the other. Nothing of it is Python to us: the head is one dictionary
// of a string, a truth value and a tuple of numbers.
#pragma once

#include "gridsmith/kernels/inputs/element_type.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace gridsmith {

/// No head that we read is longer, in bytes.
constexpr std::uint64_t longest_npy_head = 64u << 10;

struct NpyHead {
  ElementType type = ElementType::float32;
  std::vector<std::uint64_t> shape; ///< none: one element
  std::uint64_t elements = 0;       ///< the product
  std::uint64_t bytes = 0;          ///< of the head: here the elements begin
};

/// @param start the file's first bytes, at least the head's. @throws InputError: what it is not.
NpyHead read_npy_head(std::string_view start);

/// Of one dimension, as NumPy writes it: its elements begin at a multiple of 64 bytes.
std::string npy_head(ElementType type, std::uint64_t elements);

} // namespace gridsmith
