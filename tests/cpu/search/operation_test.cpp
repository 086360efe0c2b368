// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/search/compile/operation.hpp"
#include "gridsmith/tests/catch.hpp"

#include <array>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

namespace operation_test {

using namespace gridsmith;
using namespace gridsmith::detail;

namespace {

struct Pair {
  Operator written;
  TermOp compiled;
};

constexpr std::array arithmetic_of_both{
    Pair{Operator::add, TermOp::add},           Pair{Operator::subtract, TermOp::subtract},
    Pair{Operator::multiply, TermOp::multiply}, Pair{Operator::floor_divide, TermOp::floor_divide},
    Pair{Operator::modulo, TermOp::modulo},     Pair{Operator::power, TermOp::power}};

constexpr std::array relations{
    Pair{Operator::equal, TermOp::equal}, Pair{Operator::not_equal, TermOp::not_equal},
    Pair{Operator::less, TermOp::less}, Pair{Operator::less_equal, TermOp::less_equal}};

const std::vector<Word> samples = {-9, -2, -1, 0, 1, 2, 3, 7, 64, std::int64_t{1} << 40};
const std::vector<double> reals = {-7.5, -2, -0.5, 0, 0.25, 1, 3, 1e200};

/// What the evaluator of trees says, as a word; nothing where it is undefined.
template <class N>
std::optional<N> evaluated(Operator op, N a, N b) {
  Operand result;
  const Fault fault = arithmetic(op, Operand(a), Operand(b), result);
  if (std::is_same_v<N, Word> && fault == Fault::too_large) // a power, of an even exponent here
    return static_cast<N>(farthest);
  if (fault != Fault::none)
    return std::nullopt;
  if constexpr (std::is_same_v<N, Word>)
    if (const auto* big = std::get_if<BigInteger>(&result))
      return big->sign() < 0 ? -farthest : farthest;
  return std::get<N>(result);
}

} // namespace

TEST_CASE("compiled arithmetic on integers is the evaluator's") {
  for (const auto& [written, compiled] : arithmetic_of_both)
    for (const Word a : samples)
      for (const Word b : samples) {
        INFO(static_cast<int>(compiled) << ": " << a << ", " << b);
        if (written == Operator::power && b < 0)
          continue; // a real
        const auto wanted = evaluated(written, a, b);
        CHECK(apply(compiled, a, b, 0) == wanted.value_or(undefined));
        if (wanted)
          CHECK(apply_defined(compiled, a, b, 0) == *wanted);
      }
}

TEST_CASE("what leaves 64 bits stands at their end, and stays there") {
  const Word half = Word{1} << 62;
  CHECK(apply(TermOp::multiply, half, 2, 0) == farthest);
  CHECK(apply(TermOp::multiply, half, -2, 0) == -farthest); // the lowest integer is undefined
  CHECK(apply(TermOp::multiply, farthest, -1, 0) == -farthest);
  CHECK(apply(TermOp::multiply, farthest, 0, 0) == 0);
  CHECK(apply(TermOp::multiply, -farthest, -7, 0) == farthest);
  CHECK(apply(TermOp::add, farthest, farthest, 0) == farthest);
  CHECK(apply(TermOp::add, -half, -half, 0) == -farthest);
  CHECK(apply(TermOp::subtract, -half, half, 0) == -farthest);
  CHECK(apply(TermOp::power, 10, 30, 0) == farthest);
  CHECK(apply(TermOp::power, -10, 31, 0) == -farthest);
  CHECK(apply(TermOp::power, -10, 30, 0) == farthest);
}

TEST_CASE("compiled arithmetic on reals is the evaluator's") {
  const auto check = [](Operator written, TermOp compiled, double a, double b) {
    INFO(static_cast<int>(compiled) << ": " << a << ", " << b);
    const auto wanted = evaluated(written, a, b);
    const Word result = apply(compiled, to_word(a), to_word(b), 0);
    if (wanted && !std::isfinite(*wanted))
      return; // terms are made only of what stays finite
    CHECK(std::isnan(to_real(result)) == !wanted.has_value());
    if (wanted) {
      CHECK(to_real(result) == *wanted);
      CHECK(to_real(apply_defined(compiled, to_word(a), to_word(b), 0)) == *wanted);
    }
  };
  for (const double a : reals)
    for (const double b : reals) {
      for (const auto& [written, compiled] : arithmetic_of_both)
        check(written, on_reals(compiled), a, b);
      check(Operator::divide, TermOp::real_divide, a, b);
    }
}

TEST_CASE("compiled comparisons are the evaluator's") {
  for (const auto& [written, compiled] : relations) {
    for (const Word a : samples)
      for (const Word b : samples) {
        bool wanted = false;
        REQUIRE(compare(written, a, b, wanted) == Fault::none);
        CHECK(apply(compiled, a, b, 0) == wanted);
      }
    for (const double a : reals)
      for (const double b : reals) {
        bool wanted = false;
        REQUIRE(compare(written, a, b, wanted) == Fault::none);
        CHECK(apply(on_reals(compiled), to_word(a), to_word(b), 0) == wanted);
      }
  }
}

TEST_CASE("undefined operands make the result undefined, unless logic does not look at them") {
  CHECK(apply(TermOp::add, undefined, 1, 0) == undefined);
  CHECK(apply(TermOp::less, 1, undefined, 0) == undefined);
  CHECK(apply(TermOp::real_less, undefined_real, to_word(1), 0) == undefined);
  CHECK(std::isnan(to_real(apply(TermOp::to_real, undefined, undefined, 0))));
  CHECK(apply(TermOp::logical_not, undefined, undefined, 0) == undefined);
  CHECK(apply(TermOp::logical_and, 0, undefined, 0) == 0);
  CHECK(apply(TermOp::logical_and, 1, undefined, 0) == undefined);
  CHECK(apply(TermOp::logical_and, undefined, 0, 0) == undefined);
  CHECK(apply(TermOp::logical_or, 5, undefined, 0) == 5);
  CHECK(apply(TermOp::logical_or, 0, undefined, 0) == undefined);
  CHECK(apply(TermOp::logical_or, undefined, 1, 0) == undefined);
  CHECK(apply(TermOp::select, 1, 4, undefined) == 4);
  CHECK(apply(TermOp::select, 0, undefined, 4) == 4);
  CHECK(apply(TermOp::select, undefined, 1, 2) == undefined);
}

TEST_CASE("reals become integers where an integer can hold them") {
  CHECK(apply(TermOp::floor, to_word(-0.5), 0, 0) == -1);
  CHECK(apply(TermOp::ceil, to_word(-0.5), 0, 0) == 0);
  CHECK(apply(TermOp::round, to_word(2.5), 0, 0) == 2);
  CHECK(apply(TermOp::truncate, to_word(-2.7), 0, 0) == -2);
  CHECK(to_real(apply(TermOp::log2, to_word(8), 0, 0)) == 3);
  CHECK(std::isnan(to_real(apply(TermOp::log2, to_word(0), 0, 0))));
}

} // namespace operation_test
