// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/kernels/inputs/element_bits.hpp"
#include "gridsmith/tests/catch.hpp"

#include <cmath>
#include <cstdint>
#include <limits>

namespace element_bits_test {

using namespace gridsmith;

TEST_CASE("every half comes back as itself, and what lies between two goes to the nearest, ties to "
          "even") {
  constexpr auto half = ElementType::float16;
  const auto number = [&](std::uint64_t bits) { return value_of_bits(half, bits); };
  std::size_t wrong = 0;
  for (std::uint64_t bits = 0; bits < 0x7c00; ++bits) {
    wrong += bits_of_value(half, number(bits)) != bits;
    wrong += bits_of_value(half, -number(bits)) != (bits | 0x8000);
    if (bits + 1 == 0x7c00)
      break;
    const double low = number(bits), high = number(bits + 1), middle = (low + high) / 2;
    wrong += bits_of_value(half, middle) != (bits % 2 == 0 ? bits : bits + 1);
    wrong += bits_of_value(half, std::nextafter(middle, low)) != bits;
    wrong += bits_of_value(half, std::nextafter(middle, high)) != bits + 1;
  }
  CHECK(wrong == 0);
  CHECK(number(0x0001) == std::ldexp(1.0, -24));
  CHECK(number(0x3c00) == 1.0);
  CHECK(number(0x7bff) == 65504.0);
  CHECK(bits_of_value(half, 65519.9) == 0x7bff);
  CHECK(bits_of_value(half, 65520.0) == 0x7c00);
  CHECK(bits_of_value(half, -std::numeric_limits<double>::infinity()) == 0xfc00);
  CHECK(std::isnan(number(bits_of_value(half, std::nan("")))));
}

TEST_CASE("integers keep their sign and their low bits alone") {
  CHECK(value_of_bits(ElementType::int8, 0xabcd80) == -128);
  CHECK(value_of_bits(ElementType::uint8, 0xabcd80) == 128);
  CHECK(value_of_bits(ElementType::uint16, 0xabcd80) == 0xcd80);
  CHECK(value_of_bits(ElementType::int32, ~std::uint64_t{0}) == -1);
  CHECK(bits_of_value(ElementType::int8, -1) == 0xff);
  CHECK(bits_of_value(ElementType::int64, -1) == ~std::uint64_t{0});
}

TEST_CASE("elements read as people write them") {
  CHECK(text_of_bits(ElementType::float32, 0x3dcccccd) == "0.1");
  CHECK(text_of_bits(ElementType::float16, 0x2e66) == "0.099975586");
  CHECK(text_of_bits(ElementType::int16, 0xffff) == "-1");
  CHECK(text_of_bits(ElementType::uint64, ~std::uint64_t{0}) == "18446744073709551615");
}

} // namespace element_bits_test
