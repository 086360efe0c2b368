// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/base/error.hpp"
#include "gridsmith/base/expression/expression.hpp"
#include "gridsmith/tests/catch.hpp"

#include <chrono>
#include <cstdint>
#include <functional>
#include <limits>

namespace expression_test {

using namespace gridsmith;
using Integer = std::int64_t;

namespace {

const Bindings names = {
    {"a", Integer{7}},
    {"b", Integer{-2}},
    {"zero", Integer{0}},
    {"half", 0.5},
    {"yes", true},
    {"layout", "row"},
    {"max(a)", Integer{99}},
    {"ProblemSize[0]", Integer{4096}},
    {"huge", std::numeric_limits<Integer>::max()},
};

Value value_of(std::string_view text) {
  return Expression::parse(text).evaluate(names);
}

/// Type and number both have to match.
bool is(const Value& value, const Value& wanted) {
  return value == wanted;
}

std::string input_error(const std::function<void()>& act) {
  try {
    act();
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

std::string error_of(std::string_view text) {
  return input_error([&] { value_of(text); });
}

void check_contains(const std::string& text, const std::string& part) {
  INFO(text);
  CHECK(text.find(part) != std::string::npos);
}

} // namespace

TEST_CASE("expressions: arithmetic follows Python") {
  const std::vector<std::pair<const char*, Value>> cases = {
      {"1 + 2 * 3", Integer{7}},
      {"(1 + 2) * 3", Integer{9}},
      {"7 / 2", 3.5},
      {"8 / 2", 4.0},
      {"7 // 2", Integer{3}},
      {"-7 // 2", Integer{-4}},
      {"7 // -2", Integer{-4}},
      {"-7 % 3", Integer{2}},
      {"7 % -3", Integer{-2}},
      {"-7.5 % 2", 0.5},
      {"7.5 // 2", 3.0},
      {"-7.5 // 2", -4.0},
      {"2 ** 10", Integer{1024}},
      {"2 ** -1", 0.5},
      {"2 ** 3 ** 2", Integer{512}},
      {"-2 ** 2", Integer{-4}},
      {"(-2) ** 2", Integer{4}},
      {"2 ** 0.5 > 1.41", true},
      {"a - b", Integer{9}},
      {"yes + yes", Integer{2}},
      {"0x10 + 1e1", 26.0},
      {".5 + 1.", 1.5},
      {"ProblemSize[0] // a", Integer{585}},
      {"'text' + \"more\"", "textmore"},
  };
  for (const auto& [text, wanted] : cases) {
    INFO(text);
    CHECK(is(value_of(text), wanted));
  }
}

TEST_CASE("expressions: logic, comparisons and chains") {
  for (const char* text : {"1 < 2 < 3",
                           "not 3 < 2",
                           "!(3 < 2)",
                           "!zero",
                           "a == 7 && b == -2",
                           "zero || yes",
                           "a in (1, 7)",
                           "a not in [1, 2]",
                           "layout == 'row'",
                           "layout != 7",
                           "layout in ['row', 'col']",
                           "'o' in layout",
                           "yes == 1 == 1.0",
                           "1 <= a <= 7 != 8",
                           "True and not False",
                           "not a == 1 and true",
                           "zero == 0 or a % zero == 0",
                           "not (zero != 0 and a / zero > 1)",
                           "a > 1 if yes else false",
                           "3 not in ()",
                           "2**53 + 1 != 2.0**53",
                           "'a' < 'b'"}) {
    INFO(text);
    CHECK(is_true(value_of(text)));
  }
  for (const char* text : {"1 < 2 > 3", "a == '7'", "3 > 2 > 2", "not not zero", "a in [b]"}) {
    INFO(text);
    CHECK_FALSE(is_true(value_of(text)));
  }
  CHECK(is(value_of("zero or a"), Integer{7}));
  CHECK(is(value_of("a and half"), 0.5));
}

TEST_CASE("expressions: functions") {
  const std::vector<std::pair<const char*, Value>> cases = {
      {"min(a, b, half)", Integer{-2}}, {"max(b, half)", 0.5},
      {"max(a)", Integer{99}},          {"max(b)", Integer{-2}},
      {"max([1, 5, 3])", Integer{5}},   {"min(a)", Integer{7}},
      {"abs(b)", Integer{2}},           {"abs(-half)", 0.5},
      {"ceil(7 / 2)", Integer{4}},      {"floor(-half)", Integer{-1}},
      {"ceil(a)", Integer{7}},          {"log2(8)", 3.0},
      {"round(2.5)", Integer{2}},       {"round(3.5)", Integer{4}},
      {"round(-2.5)", Integer{-2}},     {"round(2.4)", Integer{2}},
      {"int(-2.7)", Integer{-2}},       {"int(yes)", Integer{1}},
  };
  for (const auto& [text, wanted] : cases) {
    INFO(text);
    CHECK(is(value_of(text), wanted));
  }
}

TEST_CASE("expressions: arithmetic without an answer is an evaluation error") {
  for (const char* text : {"1 / zero", "1 // zero", "1 % zero", "1.0 % zero", "zero ** -1",
                           "log2(zero)", "(-8) ** 0.5", "10 ** 30 % zero", "int(1e308*10 % 2)"}) {
    INFO(text);
    CHECK_THROWS_AS(value_of(text), EvaluationError);
  }
  CHECK(is(value_of("(-huge - 1) % -1"), Integer{0}));
}

TEST_CASE("expressions: integers are exact up to 4096 bits, on the way to a result of 64") {
  for (const char* text : {"huge + 1", "-huge - 2", "huge * 2", "10 ** 30", "int(1e300)",
                           "(-huge - 1) // -1", "2 ** 4095", "0x10000000000000000"}) {
    INFO(text);
    CHECK(Expression::parse(text).holds(names));
    check_contains(error_of(text), "the result has more than 64 bits");
  }
  for (const char* text :
       {"huge + 1 > huge", "10 ** 30 // 10 ** 29 == 10", "-10 ** 30 % 7 == 6",
        "2 ** 4094 * 2 - 1 > 2 ** 4094", "99999999999999999999 == 10 ** 20 - 1",
        "int(1e300) != 10 ** 300", "float_of_big / 3 == 1e30 / 3", "10 ** 400 / 10 ** 398 == 100.0",
        "log2(2 ** 4000) == 4000.0", "abs(-10 ** 30) == 10 ** 30", "2 ** 64 in [1, 2.0 ** 64]",
        "2 ** 64 + 1 != 2.0 ** 64", "10 ** 400 > 1e308",
        "9007199254740993 / 3 == 3002399751580331.0", "1e308 * 10 > 10 ** 400",
        "max(10 ** 30, 5) == 10 ** 30", "not 10 ** 30 - 10 ** 30"}) {
    INFO(text);
    Bindings with = names;
    with["float_of_big"] = 1e30;
    CHECK(Expression::parse(text).holds(with));
  }
  for (const char* text : {"2 ** 4096", "2 ** 2 ** 60", "10.0 ** 400", "10 ** 400 * 1.0",
                           "10 ** 400 / 3", "3 ** 2000 * 3 ** 2000", "int(1e308 * 10)"}) {
    INFO(text);
    CHECK_THROWS_AS(Expression::parse(text).holds(names), NumberTooLarge);
  }
  check_contains(error_of("1 + a ** 2000"),
                 "expression '1 + a ** 2000', column 7: the number is too large: integers have at "
                 "most 4096 bits");
}

TEST_CASE("expressions: the least and the greatest of one text are an error") {
  for (const char* text : {"min('ab')", "max(layout)"})
    check_contains(error_of(text), "of one text; expected numbers or a list");
  CHECK(is(value_of("max(['ab', 'b'])"), "b"));
}

TEST_CASE("expressions: long ones are read in linear time, deep ones refused") {
  const auto repeated = [](const std::string& first, const std::string& next, std::size_t count) {
    std::string text = first;
    for (std::size_t i = 1; i < count; ++i)
      text += next;
    return text;
  };
  const std::size_t many = 100'000;
  const auto start = std::chrono::steady_clock::now();
  CHECK(is(value_of(repeated("a", "+a", many)), Integer{700'000}));
  CHECK(is(value_of(repeated("yes", "*1", many)), Integer{1}));
  CHECK(is(value_of(repeated("a", " - b", many)), Integer{200'005}));
  CHECK(is(value_of(repeated("1", "/1", many)), 1.0));
  CHECK(is(value_of(repeated("a>0", " and a>0", many)), true));
  CHECK(is(value_of(repeated("a<0", " or a<0", many)), false));
  CHECK(is(value_of(repeated("a", "<=a", many)), true));
  CHECK(is(value_of("a in [" + repeated("5", ",5", many) + "]"), false));
  CHECK(is(value_of("min(" + repeated("a", ",a", many) + ")"), Integer{7}));
  for (const auto& [first, next] :
       std::vector<std::pair<const char*, const char*>>{{"a", "**a"},
                                                        {"not a", " and not(a"},
                                                        {"", "-"},
                                                        {"", "("},
                                                        {"", "not "},
                                                        {"1", " if a else 1"},
                                                        {"", "min("}})
    check_contains(error_of(repeated(first, next, many / 2)),
                   "nested too deeply, the limit is 200");
  CHECK(std::chrono::steady_clock::now() - start < std::chrono::seconds(10)); // quadratic: minutes
  const std::string error = error_of(repeated("a", " + a", 300'000));
  check_contains(error, "it has 1199997 characters, the limit is 1048576");
  CHECK(error.size() < 400);
}

TEST_CASE("expressions: errors name the text, the column and the nearest name") {
  const std::vector<std::pair<const char*, const char*>> cases = {
      {"a +* 2", "expression 'a +* 2', column 4: expected a value, found '*'"},
      {"(a", "column 3: expected ')', found the end"},
      {"a b", "column 3: expected an operator or the end, found 'b'"},
      {"", "column 1: expected a value, found the end"},
      {"a ? b", "column 3: unexpected character '?'"},
      {"a = 1", "column 3: expected an operator or the end, found '='"},
      {"1 + layuot", "column 5: unknown name 'layuot'; did you mean 'layout'?"},
      {"cell(a)", "column 1: unknown function 'cell'; did you mean 'ceil'?"},
      {"ceil(a, b)", "column 1: ceil() takes one value, found 2"},
      {"a + 'b'", "column 3: a text cannot be used here with a number"},
      {"layout < 3", "column 8: a text cannot be used here with a number"},
      {"1e999", "column 1: the number '1e999' cannot be represented"},
      {"12ab", "column 1: a number with letters"},
      {"'open", "column 1: the text that begins here has no closing quote"},
      {"a[b]", "column 3: expected a whole number as index"},
      {"a in 5", "column 6: expected a list after 'in'"},
      {"[1, 2]", "column 1: a list can stand only after 'in'"},
      {"a if yes", "column 9: expected 'else', found the end"},
  };
  for (const auto& [text, wanted] : cases) {
    INFO(text);
    check_contains(error_of(text), wanted);
  }
  check_contains(error_of(std::string(500, '(')), "nested too deeply");
  check_contains(error_of(std::string(500, '-') + "1"), "nested too deeply");
}

TEST_CASE("expressions: names and columns") {
  const Expression expression = Expression::parse("b * size[1] + max(a) <= b");
  CHECK(expression.names() == std::set<std::string>{"a", "b", "size[1]"});
  CHECK(expression.column_of("size[1]") == 5);
  CHECK(expression.column_of("b") == 1);
  CHECK(expression.column_of("c") == 0);
  CHECK(expression.text() == "b * size[1] + max(a) <= b");
  const Expression copy = expression;
  CHECK(&copy.root() == &expression.root());
}

TEST_CASE("expressions: a lookup alone knows no neighbours") {
  const Expression expression = Expression::parse("x + 1");
  const Lookup none = [](std::string_view) -> const Value* { return nullptr; };
  CHECK(input_error([&] { expression.evaluate(none); }) ==
        "expression 'x + 1', column 1: unknown name 'x'");
}

} // namespace expression_test
