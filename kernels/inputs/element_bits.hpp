// SPDX-License-Identifier: Apache-2.0
// Elements as bits and as numbers, on the host.
#pragma once

#include "gridsmith/kernels/inputs/element_type.hpp"

#include <cstdint>
#include <string>

namespace gridsmith {

/// The number behind the bits of an element, which are the low ones.
double value_of_bits(ElementType type, std::uint64_t bits);
/// As people read it: integers in full, reals with the digits of their type.
std::string text_of_bits(ElementType type, std::uint64_t bits);
/// The bits of `value` as an element of this type, in the low bytes; reals are rounded to nearest
/// even. @pre integers: the type holds the value
std::uint64_t bits_of_value(ElementType type, double value);

} // namespace gridsmith
