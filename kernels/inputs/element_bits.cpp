// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/kernels/inputs/element_bits.hpp"

#include "gridsmith/kernels/inputs/fill.hpp"

#include <fmt/format.h>

#include <bit>
#include <type_traits>

namespace gridsmith {

namespace {

template <typename T>
std::uint64_t integer_bits(double value) {
  return static_cast<std::uint64_t>(static_cast<std::make_unsigned_t<T>>(static_cast<T>(value)));
}

} // namespace

double value_of_bits(ElementType type, std::uint64_t bits) {
  return number_of_bits(type, bits);
}

std::string text_of_bits(ElementType type, std::uint64_t bits) {
  if (type == ElementType::float64)
    return fmt::format("{}", std::bit_cast<double>(bits));
  if (is_real(type))
    return fmt::format("{}", static_cast<float>(value_of_bits(type, bits)));
  if (type == ElementType::int64)
    return fmt::format("{}", static_cast<std::int64_t>(bits));
  if (type == ElementType::uint64)
    return fmt::format("{}", bits);
  return fmt::format("{:.0f}", value_of_bits(type, bits)); // exact below 2^53
}

std::uint64_t bits_of_value(ElementType type, double value) {
  switch (type) {
  case ElementType::float16:
    return half_of(value);
  case ElementType::float32:
    return std::bit_cast<std::uint32_t>(static_cast<float>(value));
  case ElementType::float64:
    return std::bit_cast<std::uint64_t>(value);
  case ElementType::int8:
    return integer_bits<std::int8_t>(value);
  case ElementType::uint8:
    return integer_bits<std::uint8_t>(value);
  case ElementType::int16:
    return integer_bits<std::int16_t>(value);
  case ElementType::uint16:
    return integer_bits<std::uint16_t>(value);
  case ElementType::int32:
    return integer_bits<std::int32_t>(value);
  case ElementType::uint32:
    return integer_bits<std::uint32_t>(value);
  case ElementType::int64:
    return integer_bits<std::int64_t>(value);
  case ElementType::uint64:
    return integer_bits<std::uint64_t>(value);
  }
  return 0;
}

} // namespace gridsmith
