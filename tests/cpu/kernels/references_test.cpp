// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/base/error.hpp"
#include "gridsmith/kernels/definition/filling.hpp"
#include "gridsmith/kernels/definition/references.hpp"
#include "gridsmith/kernels/inputs/random.hpp"
#include "gridsmith/tests/catch.hpp"

#include <array>
#include <cmath>

namespace references_test {

using namespace gridsmith;

namespace {

using Clock = OutputFormula::Clock;

const Clock::time_point never = Clock::time_point::max();

BufferSpec buffer(const std::string& name, ElementType type, std::uint64_t elements) {
  return {.name = name, .type = type, .elements = elements};
}

/// out: 4 words, filled in place; data: words of random bits; n = 4, scale = 0.1f.
std::vector<ArgumentSpec> arguments() {
  BufferSpec out = buffer("out", ElementType::uint8, 4),
             data = buffer("data", ElementType::uint32, 4);
  out.output = true;
  out.access = Access::read_write;
  out.numbers.value = 200;
  data.fill = Fill::random;
  return {{.buffer = out, .scalar = {}},
          {.buffer = data, .scalar = {}},
          {.buffer = {}, .scalar = ScalarSpec{"n", ElementType::int32, 4}},
          {.buffer = {}, .scalar = ScalarSpec{"scale", ElementType::float32, 0.1}}};
}

OutputFormula formula(const std::string& text, const Extents& extents = {{"m", 7}}) {
  return std::move(output_formulas({{"out", text}}, arguments(), extents, 1).at(0));
}

std::string error_of(const std::string& text, const Extents& extents = {{"m", 7}}) {
  try {
    formula(text, extents).element(3, never);
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

} // namespace

TEST_CASE("formulas read what the device is filled with", "[references]") {
  const auto specs = arguments();
  for (std::uint64_t i = 0; i < 4; ++i) {
    const double word = filled_value(*specs[1].buffer, 1, 1, i);
    CHECK(std::get<std::int64_t>(*formula("data[i] % 256").element(i, never)) ==
          static_cast<std::int64_t>(word) % 256);
  }
  CHECK(formula("out[i] + m + n - 8").bytes(never) == std::vector<std::uint8_t>(4, 203));
  CHECK(formula("scale == 0.1").bytes(never) == std::vector<std::uint8_t>(4, 0)); // it is a float
  CHECK(formula("i + i // 3").bytes(never) == std::vector<std::uint8_t>{0, 1, 2, 4});
  CHECK(output_formulas({}, specs, {}, 1).empty());
}

TEST_CASE("an element that is not verified is not evaluated", "[references]") {
  auto specs = arguments();
  const auto bytes = [&] {
    return output_formulas({{"out", "data[i - 1] % 2 + 8"}}, specs, {}, 1).at(0).bytes(never);
  };
  CHECK_THROWS_WITH(bytes(), contains_text("index -1 is outside 'data'"));
  specs[0].buffer->verified = "i > 0 and i < n - 1";
  const auto found = bytes();
  REQUIRE(found);
  CHECK(found->front() == 0);
  CHECK((*found)[1] >= 8);
  CHECK(found->back() == 0);
}

TEST_CASE("a formula that takes long is told before it is waited for, with the seconds") {
  std::vector<ArgumentSpec> specs = arguments();
  Device device;
  device.sm_count = 132;
  device.max_threads_per_sm = 2048;
  const auto lines = [&](const std::string& text, std::uint64_t elements) {
    specs[0].buffer->elements = specs[1].buffer->elements = elements;
    return slow_formulas({{"out", text}}, specs, {{"m", 1'000'000'000}}, device);
  };
  CHECK(lines("data[i] % 256", 100'000'000).empty());
  CHECK(lines("sum(l, 1000, data[l] % 2) % 256", 1000).empty());
  const auto slow = lines("sum(l, m, data[l] % 2) % 256", 100'000'000);
  REQUIRE(slow.size() == 1);
  CHECK_THAT(slow[0], contains_text("Reference.Element takes some ") &&
                          contains_text(" s for the 100000000 elements of 'out', and has 5; with a "
                                        "Reference.Kernel as well"));
}

TEST_CASE("elements are rounded to the output's type, or refused by it", "[references]") {
  CHECK(bits_of_number(ElementType::float32, 0.1) == 0x3DCCCCCD);
  CHECK(bits_of_number(ElementType::float32, std::int64_t{1}) == 0x3F800000);
  CHECK(bits_of_number(ElementType::int16, std::int64_t{-2}) == 0xFFFE);
  CHECK(bits_of_number(ElementType::int64, (std::int64_t{1} << 62) + 1) == (1ULL << 62) + 1);
  CHECK_THAT(error_of("scale * i"),
             contains_text("'scale * i' gives a real, the elements of 'out' are uint8; int() and"));
  CHECK_THAT(error_of("out[i] + 56"),
             contains_text("element 3 of 'out': the formula gives 256, which uint8 does not hold"));
  CHECK_THAT(error_of("0 - i"), contains_text("the formula gives -3"));
  CHECK_THAT(error_of("data[i + 1]"),
             contains_text("element 3 of 'out': expression 'data[i + 1]', column 1: index 4 is"));
}

TEST_CASE("a name means one number", "[references]") {
  CHECK_THAT(error_of("n", {{"n", 5}}),
             contains_text("'n' is an extent, 5, and a scalar argument, 4"));
  CHECK_THAT(error_of("n", {{"n", 4}}), contains_text("no error"));
  CHECK_THAT(error_of("n", {{"i", 4}}), contains_text("'i' is the index of the element"));
}

TEST_CASE("all elements of an output are not waited for longer than allowed", "[references]") {
  CHECK_FALSE(formula("sum(l, 1000000000000, l % 2) % 2").bytes(Clock::now()));
}

TEST_CASE("random inputs are uniform in [-1, 1) and differ by buffer and seed", "[references]") {
  constexpr int count = 200000;
  std::array<int, 16> bins{};
  double sum = 0, squares = 0, neighbours = 0;
  for (std::uint64_t i = 0; i < count; ++i) {
    const double x = static_cast<double>(random_real(1, 0, i));
    REQUIRE((x >= -1 && x < 1));
    ++bins[static_cast<std::size_t>((x + 1) * 8)];
    sum += x;
    squares += x * x;
    neighbours += x * static_cast<double>(random_real(1, 1, i));
  }
  // Standard deviations: mean 0.577/sqrt(count), bins sqrt(count/16).
  CHECK(std::abs(sum / count) < 5 * 0.577 / std::sqrt(count));
  CHECK(squares / count == Approx(1.0 / 3).epsilon(0.01));
  CHECK(std::abs(neighbours / count) < 5.0 / 3 / std::sqrt(count));
  for (const int bin : bins)
    CHECK(std::abs(bin - count / 16) < 5 * std::sqrt(count / 16.0));
  CHECK(random_bits(1, 0, 5) != random_bits(2, 0, 5));
  CHECK(random_bits(1, 0, 5) != random_bits(1, 1, 5));
  CHECK(random_real(1, 0, 3) == random_real(1, 0, 3));
}

TEST_CASE("filled values are rounded to their type", "[references]") {
  BufferSpec spec;
  spec.fill = Fill::constant;
  spec.numbers.value = 0.1;
  spec.type = ElementType::float64;
  CHECK(filled_value(spec, 1, 0, 0) == 0.1);
  spec.type = ElementType::float32;
  CHECK(filled_value(spec, 1, 0, 0) == static_cast<double>(0.1f));
  spec.type = ElementType::float16;
  CHECK(filled_value(spec, 1, 0, 0) == 0.0999755859375); // 0x2E66
  spec.numbers.value = 1e6;
  CHECK(std::isinf(filled_value(spec, 1, 0, 0)));
  spec.numbers.value = 3e-8; // between 0 and the least subnormal, 2^-24
  CHECK(filled_value(spec, 1, 0, 0) == std::ldexp(1.0, -24));
  spec.fill = Fill::random;
  spec.type = ElementType::uint8;
  for (std::uint64_t i = 0; i < 100; ++i)
    CHECK(filled_value(spec, 1, 2, i) == static_cast<double>(random_bits(1, 2, i) & 255));
  spec.type = ElementType::float32;
  spec.numbers.value = 3;
  CHECK(filled_value(spec, 1, 2, 9) == static_cast<double>(3.0f * random_real(1, 2, 9)));
}

} // namespace references_test
