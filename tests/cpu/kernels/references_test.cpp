#include "gridsmith/base/error.hpp"
#include "gridsmith/kernels/inputs/random.hpp"
#include "gridsmith/kernels/definition/filling.hpp"
#include "gridsmith/kernels/definition/references.hpp"
#include "gridsmith/tests/catch.hpp"

#include <array>
#include <cmath>

using namespace gridsmith;

namespace {

HostInput input_of(std::vector<std::vector<double>> arrays) {
  return [arrays = std::move(arrays)](std::size_t input, std::uint64_t element) {
    return arrays.at(input).at(element);
  };
}

std::vector<double> whole(const char* name, const HostInput& input,
                          std::vector<std::int64_t> extents) {
  const HostReference& reference = find_host_reference(name);
  auto output = reference.whole(input, extents);
  REQUIRE(output.size() == reference.elements(extents));
  for (std::uint64_t i = 0; i < output.size(); ++i)
    CHECK(output[i] == reference.element(input, extents, i));
  return output;
}

} // namespace

TEST_CASE("host references on hand-made answers", "[references]") {
  CHECK(whole("transpose", input_of({{1, 2, 3, 4, 5, 6}}), {2, 3}) ==
        std::vector<double>{1, 4, 2, 5, 3, 6});
  CHECK(whole("transpose", input_of({{1, 2, 3, 4}}), {2}) == std::vector<double>{1, 3, 2, 4});
  // (1 2 3; 4 5 6) * (7 8; 9 10; 11 12)
  CHECK(whole("matmul", input_of({{1, 2, 3, 4, 5, 6}, {7, 8, 9, 10, 11, 12}}), {2, 2, 3}) ==
        std::vector<double>{58, 64, 139, 154});
  CHECK(whole("vector_add", input_of({{1, 2}, {10, 20}}), {2}) == std::vector<double>{11, 22});
  const auto counts = whole("histogram", input_of({{0x01020301, 0xFF010000}}), {2});
  CHECK(counts[0] == 2);
  CHECK(counts[1] == 3);
  CHECK(counts[2] == 1);
  CHECK(counts[3] == 1);
  CHECK(counts[255] == 1);
  CHECK_THROWS_AS(find_host_reference("matmull"), InputError);
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
