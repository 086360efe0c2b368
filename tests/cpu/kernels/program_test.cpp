// SPDX-License-Identifier: Apache-2.0
// An expression of the index as a program: it gives what evaluating the expression gives, or is refused.
#include "gridsmith/kernels/inputs/compile_program.hpp"
#include "gridsmith/kernels/inputs/fill.hpp"
#include "gridsmith/tests/catch.hpp"

#include <bit>
#include <cmath>

namespace program_test {

using namespace gridsmith;

namespace {

const Bindings names = {{"n", std::int64_t{12}}, {"x", 2.5}, {"on", true}, {"s", std::string("t")}};

Lookup lookup_with(const Bindings& bindings) {
  return [&bindings](std::string_view name) -> const Value* {
    const auto found = bindings.find(std::string(name));
    return found == bindings.end() ? nullptr : &found->second;
  };
}

struct Number {
  bool real = false;
  FormulaRegister held;

  double as_real() const { return real ? held.real : static_cast<double>(held.whole); }

  std::uint64_t bits() const { return static_cast<std::uint64_t>(held.whole); }
};

Number run(const std::string& text, std::uint64_t index) {
  const auto program =
      compile_program(Expression::parse(text, Syntax::formula), lookup_with(names));
  FillMemory<false> memory;
  memory.at(formula_index).whole = static_cast<std::int64_t>(index);
  run_formula(program.data(), memory);
  return {program.front().real, formula_result(program.data(), memory)};
}

std::string refusal(const std::string& text) {
  try {
    compile_program(Expression::parse(text, Syntax::formula), lookup_with(names));
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

} // namespace

TEST_CASE("a program gives what evaluating its expression gives") {
  for (const char* text : {"i",
                           "-i + 3",
                           "i * i - n",
                           "(i - 5) // 3",
                           "(i - 5) % 3",
                           "(5 - i) // -3",
                           "(5 - i) % -3",
                           "i / 4",
                           "x * i",
                           "(i - 4.5) // x",
                           "(i - 4.5) % x",
                           "i ** 3",
                           "(i - 3) ** 2 + x ** 2",
                           "i < 3",
                           "2 <= i < 5",
                           "i == 4 or i == 6",
                           "i and n",
                           "not i",
                           "i in (1, 2, n)",
                           "i not in (1, 3)",
                           "n if i % 2 else x",
                           "1 if i < 3 else 0.5",
                           "min(i, 3)",
                           "max(i, x, 2)",
                           "min((7, i))",
                           "abs(i - 5)",
                           "abs(x - i)",
                           "ceil(i / 3)",
                           "floor(-i / 3)",
                           "round(i / 2)",
                           "int(-i / 2)",
                           "on + i",
                           "True",
                           "i - n if on and not i > 7 else -(i)",
                           "max(n)",
                           "+i",
                           "min(i % n, (i // n) % n)",
                           "3 < i != 7"})
    for (std::int64_t i = 0; i < 12; ++i) {
      Bindings all = names;
      all["i"] = i;
      const Value want = Expression::parse(text).evaluate(all);
      const Number got = run(text, static_cast<std::uint64_t>(i));
      INFO(text << " of " << i);
      CHECK((got.real || !std::holds_alternative<double>(want))); // where one of two is, both are
      CHECK(got.as_real() == to_number(want));
    }
}

TEST_CASE("every index has a value") {
  CHECK(run("5 // i", 0).bits() == 0);
  CHECK(run("5 % i", 0).bits() == 0);
  CHECK(std::isinf(run("5 / i", 0).as_real()));
  CHECK(std::isnan(run("5.0 % i", 0).as_real()));
  CHECK(std::isnan(run("tanh(5.0 % i)", 0).as_real()));
  CHECK(std::isnan(run("5.5 // i", 0).as_real()));
  CHECK(run("9223372036854775807 + i", 1).bits() == std::uint64_t{1} << 63); // wraps
  CHECK(run("(-9223372036854775807 - i) // -1", 1).bits() == std::uint64_t{1} << 63);
  CHECK(run("abs(-9223372036854775807 - i)", 1).bits() == std::uint64_t{1} << 63);
  CHECK(run("-(-9223372036854775807 - i)", 1).bits() == std::uint64_t{1} << 63);
  CHECK(run("i ** 64", 3).bits() == [] {
    std::uint64_t power = 1;
    for (int k = 0; k < 64; ++k)
      power *= 3;
    return power;
  }());
  CHECK(run("6364136223846793005 * i", 7).bits() == 6364136223846793005u * 7);
  CHECK(run("int(i * 1e300)", 1).bits() == ~std::uint64_t{0} >> 1); // the nearest
  CHECK(run("int(-i * 1e300)", 1).bits() == std::uint64_t{1} << 63);
  CHECK(run("int(i / 0.0 * 0)", 1).bits() == 0);
  CHECK(std::abs(run("(i + 0.1) ** 3", 1).as_real() - 1.331) < 1e-15);
  CHECK(std::abs(run("sin(i) ** 2 + cos(i) ** 2", 5).as_real() - 1) < 1e-15);
  CHECK(std::isnan(run("log(-i) + sqrt(i)", 1).as_real()));
  CHECK(run("i ** (0 - 2)", 3).bits() == 0);
}

TEST_CASE("what has a loop, or is too long, is refused with its column") {
  CHECK(refusal("i * n") == "");
  CHECK_THAT(refusal("1 + sum(l, 3, l)"),
             contains_text("column 5: what fills a vector has no sums"));
  CHECK_THAT(refusal("a[i]"), contains_text("column 1: unknown vector 'a'"));
  CHECK_THAT(refusal("s"), contains_text("column 1: 's' is a text"));
  CHECK_THAT(refusal("'a' == i"), contains_text("a text has no place in a formula"));
  CHECK_THAT(refusal("m + i"), contains_text("column 1: unknown name 'm'"));
  CHECK_THAT(refusal("18446744073709551616 + i"),
             contains_text("column 1: the integer has more than 64 bits"));
  CHECK_THAT(refusal("(1, 2)"), contains_text("a list can stand only after 'in'"));
  std::string longest = "i", deepest = "i";
  for (int k = 0; k < 520; ++k)
    longest += " + i";
  for (int k = 0; k < 40; ++k)
    deepest = "i * i + (" + deepest + ")";
  CHECK_THAT(refusal(longest), contains_text("it is too long"));
  CHECK_THAT(refusal(deepest), contains_text("it is too long"));
}

} // namespace program_test
