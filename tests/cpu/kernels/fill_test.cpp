// SPDX-License-Identifier: Apache-2.0
// What vectors are filled with: bounds, order, distributions, well-formed sparse rows; and the functions
// of reals behind them.
#include "gridsmith/kernels/definition/filling.hpp"
#include "gridsmith/kernels/inputs/compile_program.hpp"
#include "gridsmith/kernels/inputs/element_bits.hpp"
#include "gridsmith/kernels/inputs/fill.hpp"
#include "gridsmith/tests/catch.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <numeric>
#include <set>

namespace fill_test {

using namespace gridsmith;

namespace {

BufferSpec spec_of(Fill fill, ElementType type, std::uint64_t elements, FillNumbers numbers = {}) {
  BufferSpec spec;
  spec.fill = fill;
  spec.type = type;
  spec.elements = elements;
  spec.numbers = numbers;
  return spec;
}

std::vector<double> values_of(const BufferSpec& spec, DataSeed seed = 1) {
  const FilledBuffer buffer(spec, seed, 3);
  std::vector<double> values(spec.elements);
  for (std::uint64_t i = 0; i < spec.elements; ++i)
    values[i] = buffer.value(i);
  return values;
}

double mean_of(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

double deviation_of(const std::vector<double>& values) {
  const double mean = mean_of(values);
  double squares = 0;
  for (const double value : values)
    squares += (value - mean) * (value - mean);
  return std::sqrt(squares / static_cast<double>(values.size()));
}

struct Structure {
  std::vector<double> offsets, columns;
};

Structure sparse(double rows, double columns, double density, double skew, std::uint64_t seed = 1) {
  const FillNumbers numbers{.rows = rows, .columns = columns, .density = density, .skew = skew};
  const auto nonzeros = static_cast<std::uint64_t>(std::floor(rows * columns * density));
  return {values_of(spec_of(Fill::csr_offsets, ElementType::int64,
                            static_cast<std::uint64_t>(rows) + 1, numbers),
                    seed),
          values_of(spec_of(Fill::csr_columns, ElementType::int32, nonzeros, numbers), seed)};
}

/// Longest row. Checks that rows begin at 0, end at the number of columns, and are sorted and
/// distinct within the matrix.
double check_rows(const Structure& of, double columns) {
  CHECK(of.offsets.front() == 0);
  REQUIRE(of.offsets.back() == static_cast<double>(of.columns.size()));
  double longest = 0;
  for (std::size_t row = 0; row + 1 < of.offsets.size(); ++row) {
    const double count = of.offsets[row + 1] - of.offsets[row];
    REQUIRE((count >= 0 && count <= columns));
    longest = std::max(longest, count);
    for (double k = of.offsets[row]; k < of.offsets[row + 1]; ++k) {
      const double column = of.columns[static_cast<std::size_t>(k)];
      REQUIRE((column >= 0 && column < columns));
      REQUIRE((k == of.offsets[row] || column > of.columns[static_cast<std::size_t>(k) - 1]));
    }
  }
  return longest;
}

constexpr std::uint64_t many = 100000;

} // namespace

TEST_CASE("uniform integers take both ends and nothing beyond, reals all but the upper one") {
  for (const ElementType type : {ElementType::int8, ElementType::int32, ElementType::int64}) {
    const auto values = values_of(spec_of(Fill::uniform, type, many, {.from = -3, .to = 5}));
    CHECK(*std::min_element(values.begin(), values.end()) == -3);
    CHECK(*std::max_element(values.begin(), values.end()) == 5);
    for (double k = -3; k <= 5; ++k) // five standard deviations
      CHECK(std::abs(static_cast<double>(std::count(values.begin(), values.end(), k)) -
                     many / 9.0) < 5 * 100);
  }
  for (const ElementType type :
       {ElementType::float16, ElementType::float32, ElementType::float64}) {
    const auto values = values_of(spec_of(Fill::uniform, type, many, {.from = 2, .to = 3}));
    CHECK(*std::min_element(values.begin(), values.end()) >= 2);
    CHECK(*std::max_element(values.begin(), values.end()) < 3);
    CHECK(mean_of(values) == Approx(2.5).margin(0.005));
  }
}

TEST_CASE("a range that a type cannot tell apart stays within its ends") {
  for (const double value : values_of(
           spec_of(Fill::uniform, ElementType::float32, 1000, {.from = 16777216, .to = 16777218})))
    CHECK(value == 16777216);
}

TEST_CASE("a sequence and a constant") {
  CHECK(values_of(spec_of(Fill::sequence, ElementType::int16, 4, {.from = 7, .step = -5})) ==
        std::vector<double>{7, 2, -3, -8});
  CHECK(values_of(spec_of(Fill::sequence, ElementType::float64, 3, {.from = 0.5, .step = 0.25})) ==
        std::vector<double>{0.5, 0.75, 1});
  CHECK(values_of(spec_of(Fill::constant, ElementType::uint8, 2, {.value = 9})) ==
        std::vector<double>{9, 9});
}

TEST_CASE("a permutation has every number once, another with another seed") {
  for (const std::uint64_t count : {1u, 2u, 3u, 4u, 5u, 64u, 1000u, 65537u}) {
    const BufferSpec spec = spec_of(Fill::permutation, ElementType::uint32, count);
    std::vector<double> values = values_of(spec);
    if (count > 63)
      CHECK(values != values_of(spec, 2));
    std::uint64_t fixed = 0;
    for (std::uint64_t i = 0; i < count; ++i)
      fixed += values[i] == static_cast<double>(i);
    CHECK((count < 64 || fixed < 12)); // one is to be expected
    std::sort(values.begin(), values.end());
    for (std::uint64_t i = 0; i < count; ++i)
      REQUIRE(values[i] == static_cast<double>(i));
  }
}

TEST_CASE("a permutation in steps is the permutation, spread") {
  const auto places = values_of(spec_of(Fill::permutation, ElementType::uint32, 1000));
  for (const ElementType type : {ElementType::uint32, ElementType::float64}) {
    const auto spread = values_of(spec_of(Fill::permutation, type, 1000, {.from = 7, .step = 4e6}));
    for (std::size_t i = 0; i < places.size(); ++i)
      REQUIRE(spread[i] == 7 + 4e6 * places[i]);
  }
}

TEST_CASE("sorted values ascend through the whole range") {
  for (const ElementType type : {ElementType::uint8, ElementType::int32, ElementType::float16,
                                 ElementType::float32, ElementType::float64}) {
    const auto values = values_of(spec_of(Fill::sorted, type, many, {.from = 10, .to = 200}));
    CHECK(std::is_sorted(values.begin(), values.end()));
    CHECK(values.front() >= 10);
    CHECK(values.front() < 10.2);
    CHECK(values.back() <= 200);
    CHECK(values.back() > 199.5);
    CHECK(mean_of(values) == Approx(105).margin(0.2));
  }
}

TEST_CASE("normal values have their mean, deviation and tails") {
  const auto values =
      values_of(spec_of(Fill::normal, ElementType::float64, many, {.mean = 3, .deviation = 2}));
  CHECK(mean_of(values) == Approx(3).margin(0.03));
  CHECK(deviation_of(values) == Approx(2).epsilon(0.01));
  for (const double z : {-2.0, -1.0, 0.0, 1.0, 2.0}) {
    const auto below = std::count_if(values.begin(), values.end(),
                                     [&](double value) { return value < 3 + 2 * z; });
    CHECK(static_cast<double>(below) / many ==
          Approx(0.5 * std::erfc(-z / std::sqrt(2.0))).margin(0.006));
  }
  for (const double value :
       values_of(spec_of(Fill::normal, ElementType::uint8, 1000, {.mean = 0, .deviation = 300})))
    CHECK((value >= 0 && value <= 255)); // the nearest that the type holds
}

TEST_CASE("zipf gives small numbers their share") {
  for (const double exponent : {0.0, 0.5, 1.0, 1.000001, 1.5, 3.0}) {
    INFO(exponent);
    const auto values =
        values_of(spec_of(Fill::zipf, ElementType::int32, many, {.to = 999, .exponent = exponent}));
    CHECK(*std::min_element(values.begin(), values.end()) >= 0);
    CHECK(*std::max_element(values.begin(), values.end()) <= 999);
    double sum = 0;
    for (int k = 1; k <= 1000; ++k)
      sum += std::pow(k, -exponent);
    for (const double k : {0.0, 1.0, 2.0, 9.0}) {
      const double share = std::pow(k + 1, -exponent) / sum;
      const auto found = static_cast<double>(std::count(values.begin(), values.end(), k));
      CHECK(std::abs(found - many * share) < 5 * std::sqrt(many * share) + 1);
    }
  }
}

TEST_CASE("sparse rows are well formed and have exactly their nonzeros") {
  for (const double skew : {0.0, 0.3, 1.0})
    for (const auto& [rows, columns, density] : {std::tuple{1.0, 1.0, 1.0},
                                                 {1.0, 1000.0, 0.01},
                                                 {1000.0, 1.0, 0.5},
                                                 {777.0, 333.0, 0.1},
                                                 {100.0, 7.0, 1.0},
                                                 {4096.0, 4096.0, 0.0005},
                                                 {100.0, 100.0, 0.99}}) {
      INFO(rows << " x " << columns << ", density " << density << ", skew " << skew);
      check_rows(sparse(rows, columns, density, skew), columns);
    }
}

TEST_CASE("rows without skew differ by one, with it by much") {
  const Structure even = sparse(1000, 1000, 0.0205, 0), skewed = sparse(1000, 1000, 0.0205, 1);
  for (std::size_t row = 0; row < 1000; ++row) {
    const double count = even.offsets[row + 1] - even.offsets[row];
    REQUIRE((count == 20 || count == 21));
  }
  CHECK(check_rows(skewed, 1000) > 100);
  CHECK(sparse(1000, 1000, 0.02, 0, 2).columns != sparse(1000, 1000, 0.02, 0, 1).columns);
}

TEST_CASE("a file's elements and an expression's") {
  BufferSpec spec = spec_of(Fill::file, ElementType::int16, 3);
  spec.content = std::make_shared<const std::vector<std::uint8_t>>(
      std::vector<std::uint8_t>{1, 0, 0xff, 0xff, 0, 0x80});
  CHECK(values_of(spec) == std::vector<double>{1, -1, -32768});
  spec = spec_of(Fill::expression, ElementType::uint8, 3);
  spec.program = compile_program(Expression::parse("i * 200"), [](auto) { return nullptr; });
  CHECK(values_of(spec) == std::vector<double>{0, 200, 144}); // the low bits
}

TEST_CASE("every machine and compiler makes the same bits") {
  std::uint64_t print = 0;
  for (std::size_t type = 0; type < Words<ElementType>::list.size(); ++type)
    for (std::size_t fill = 0; fill < static_cast<std::size_t>(Fill::expression); ++fill)
      for (const double skew : {0.0, 0.4, 1.0}) {
        const FillNumbers numbers{.value = 0.3,
                                  .from = 3,
                                  .to = 100.5,
                                  .step = 0.1,
                                  .mean = 0.3,
                                  .deviation = 1.7,
                                  .exponent = 1.3 * skew,
                                  .rows = 4999,
                                  .columns = 77,
                                  .density = 5000.5 / 4999 / 77,
                                  .skew = skew};
        const FilledBuffer buffer(
            spec_of(static_cast<Fill>(fill), static_cast<ElementType>(type), 1000, numbers), 5, 2);
        for (std::uint64_t i = 0; i < 1000; ++i)
          print = random_bits(print, buffer.bits(i), i);
      }
  // As gcc and clang gave it, with and without fused multiply-add in the processor.
  CHECK(print == 0x7f853d1f6191496a);
}

TEST_CASE("the functions of reals are near to those of the library") {
  for (double x = 1e-300; x < 1e300; x *= 1.37e3) {
    CHECK(logarithm_of(x) == Approx(std::log(x)).epsilon(4e-16).margin(1e-16));
    CHECK(zipf_height(0.75, x) == Approx(std::pow(x, -0.75)).epsilon(1e-12));
  }
  for (double x = 0.5; x < 2; x += 0.001)
    CHECK(logarithm_of(x) == Approx(std::log(x)).epsilon(1e-14).margin(1e-16));
  for (double x = -699; x < 699; x += 0.731)
    CHECK(exponential_of(x) == Approx(std::exp(x)).epsilon(4e-16));
  for (const double t : {-0.9, -0.011, -0.0099, -1e-9, 0.0, 1e-5, 0.0099, 0.011, 3.0}) {
    CHECK(exponential_slope(t) == Approx(t == 0 ? 1 : std::expm1(t) / t).epsilon(1e-13));
    CHECK(logarithm_slope(t) == Approx(t == 0 ? 1 : std::log1p(t) / t).epsilon(1e-13));
  }
  for (double p = 0x1p-53; p < 1; p = p < 1e-3 ? p * 2 : p + 1e-3) {
    const double z = normal_quantile(p);
    CHECK(0.5 * std::erfc(-z / std::sqrt(2.0)) == Approx(p).epsilon(1e-7));
    CHECK(z == Approx(-normal_quantile(1 - p)).epsilon(p < 1e-12 ? 1e-2 : 1e-7).margin(1e-12));
  }
}

TEST_CASE("whole numbers near a real, and the rest of a division, are the library's") {
  const double infinity = std::numeric_limits<double>::infinity();
  for (const double x :
       {0.0, 0.25, 0.5, 1.5, 2.5, 1e15 + 0.5, 4503599627370497.0, 1e300, infinity}) {
    for (const double y : {x, -x}) {
      CHECK(floor_of(y) == std::floor(y));
      CHECK(round_of(y) == std::nearbyint(y));
    }
    for (const double y : {1.0, 0.1, -0.3, 7e-310, 1e300})
      if (x < infinity)
        CHECK(remainder_of(-x, y) == std::fmod(-x, y));
  }
  CHECK(std::isnan(remainder_of(1, 0)));
  CHECK(std::isnan(remainder_of(infinity, 2)));
  CHECK(whole_of(infinity) == std::numeric_limits<std::int64_t>::max());
  CHECK(whole_of(-infinity) == std::numeric_limits<std::int64_t>::min());
  CHECK(whole_of(-2.9) == -2);
}

TEST_CASE("a change is of one element in 1024, which holds what another one does") {
  const std::uint64_t elements = 10'000;
  const BufferSpec spec =
      spec_of(Fill::uniform, ElementType::float32, elements, {.from = 0, .to = 1});
  const std::vector<double> own = values_of(spec), changed = values_of(spec, {1, 1});
  std::vector<std::size_t> where;
  for (std::size_t i = 0; i < elements; ++i)
    if (own[i] != changed[i])
      where.push_back(i);
  REQUIRE(where.size() >= 9); // the source is one of them at most
  CHECK(where.size() <= 10);
  for (std::size_t i = 0; i < where.size(); ++i) {
    CHECK(changed[where[i]] == changed[where.front()]);
    CHECK((i == 0 || where[i] / 1024 > where[i - 1] / 1024));
  }
  CHECK(std::find(own.begin(), own.end(), changed[where.front()]) != own.end());
  CHECK(values_of(spec, {1, 1}) == changed);
  CHECK(values_of(spec, {1, 2}) != changed); // elsewhere
  CHECK(values_of(spec, {2, 1}) != changed);
}

TEST_CASE("a single change is of one element") {
  const BufferSpec spec =
      spec_of(Fill::uniform, ElementType::float32, 10'000, {.from = 0, .to = 1});
  const std::vector<double> own = values_of(spec);
  std::set<std::size_t> where;
  for (std::uint64_t number = 1; number <= 20; ++number) {
    const std::vector<double> changed = values_of(spec, {1, single_change + number});
    const auto [here, there] = std::mismatch(own.begin(), own.end(), changed.begin());
    REQUIRE(here != own.end());
    CHECK(std::equal(here + 1, own.end(), there + 1));
    where.insert(static_cast<std::size_t>(here - own.begin()));
  }
  CHECK(where.size() > 15); // elsewhere by its number
}

TEST_CASE("indices and orders do not change") {
  const FillNumbers numbers{.from = 0, .to = 100, .step = 1};
  for (const Fill fill : {Fill::permutation, Fill::sorted, Fill::sequence, Fill::constant}) {
    const BufferSpec spec = spec_of(fill, ElementType::int32, 5000, numbers);
    CHECK(values_of(spec, {1, 1}) == values_of(spec));
  }
}

} // namespace fill_test
