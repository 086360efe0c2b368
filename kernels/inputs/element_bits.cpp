// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/kernels/inputs/element_bits.hpp"

#include "gridsmith/kernels/inputs/reals.hpp"

#include <fmt/format.h>

#include <bit>
#include <cmath>
#include <limits>

namespace gridsmith {

namespace {

/// IEEE 754 binary16.
double half_to_double(std::uint16_t half) {
  const int exponent = (half >> 10) & 31;
  const double mantissa = half & 1023;
  const double sign = (half & 0x8000) != 0 ? -1 : 1;
  if (exponent == 31)
    return mantissa != 0 ? std::numeric_limits<double>::quiet_NaN()
                         : sign * std::numeric_limits<double>::infinity();
  return exponent == 0 ? sign * std::ldexp(mantissa, -24)
                       : sign * std::ldexp(1024 + mantissa, exponent - 25);
}

template <typename T>
std::uint64_t integer_bits(double value) {
  return static_cast<std::uint64_t>(static_cast<std::make_unsigned_t<T>>(static_cast<T>(value)));
}

} // namespace

double value_of_bits(ElementType type, std::uint64_t bits) {
  switch (type) {
  case ElementType::float16:
    return half_to_double(static_cast<std::uint16_t>(bits));
  case ElementType::float32:
    return static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(bits)));
  case ElementType::float64:
    return std::bit_cast<double>(bits);
  case ElementType::int8:
    return static_cast<std::int8_t>(bits);
  case ElementType::uint8:
    return static_cast<std::uint8_t>(bits);
  case ElementType::int16:
    return static_cast<std::int16_t>(bits);
  case ElementType::uint16:
    return static_cast<std::uint16_t>(bits);
  case ElementType::int32:
    return static_cast<std::int32_t>(bits);
  case ElementType::uint32:
    return static_cast<std::uint32_t>(bits);
  case ElementType::int64:
    return static_cast<double>(static_cast<std::int64_t>(bits));
  case ElementType::uint64:
    return static_cast<double>(bits);
  }
  return 0;
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
