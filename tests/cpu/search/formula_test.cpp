// SPDX-License-Identifier: Apache-2.0
// Formulas for the elements of outputs: what they give, what they refuse, and how long they take.
#include "gridsmith/base/error.hpp"
#include "gridsmith/base/expression/value_list.hpp"
#include "gridsmith/base/file.hpp"
#include "gridsmith/search/formula/formula.hpp"
#include "gridsmith/tests/catch.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <functional>
#include <limits>
#include <sstream>
#include <string>
#include <vector>

namespace formula_test {

using namespace gridsmith;
using Integer = std::int64_t;
using Clock = ElementFormula::Clock;

namespace {

const Clock::time_point never = Clock::time_point::max();

FormulaVector vector_of(const std::string& name, bool real, std::vector<double> numbers) {
  const std::uint64_t elements = numbers.size();
  return {name, real, elements,
          [numbers = std::move(numbers)](std::uint64_t i) { return numbers.at(i); }};
}

/// A 2 x 3 matrix in both, the rows of a sparse one, and what is refused.
FormulaNames names() {
  return {{{"m", Integer{2}},
           {"n", Integer{3}},
           {"half", 0.5},
           {"huge", std::numeric_limits<Integer>::max()},
           {"ProblemSize[0]", Integer{2}}},
          {vector_of("a", true, {1, 2, 3, 4, 5, 6}), vector_of("in", false, {0, 2, 2, 1, 2, 0}),
           vector_of("offsets", false, {0, 2, 2, 6}), vector_of("long", false, {0x1p60, 4})},
          {{"BLOCK", "is a parameter"}, {"out", "is an output"}}};
}

ElementNumber value_of(const std::string& text, std::uint64_t index = 0) {
  return ElementFormula(text, names()).element(index, never).value();
}

std::string text_of(const ElementNumber& number) {
  return std::visit([](auto held) { return to_text(Value(held)); }, number);
}

std::string values_of(const std::string& text, std::uint64_t count) {
  std::string all;
  ElementFormula formula(text, names());
  for (std::uint64_t i = 0; i < count; ++i)
    all += (i ? " " : "") + text_of(formula.element(i, never).value());
  return all;
}

std::string error_of(const std::string& text) {
  try {
    value_of(text);
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

} // namespace

TEST_CASE("formulas of the usual kernels") {
  CHECK(values_of("a[i % m * n + i // m]", 6) == "1.0 4.0 2.0 5.0 3.0 6.0");
  CHECK(values_of("sum(l, n, a[i // m * n + l] * a[l * m + i % m])", 4) == "22.0 28.0 49.0 64.0");
  CHECK(values_of("sum(l, 6, in[l] == i)", 3) == "2 1 3");
  CHECK(text_of(value_of("sum(l, 6, a[l])")) == "21.0");
  CHECK(values_of("sum(j, offsets[i + 1] - offsets[i], a[offsets[i] + j] * in[offsets[i] + j])",
                  3) == "4.0 0.0 20.0");
  CHECK(values_of("a[in[i]]", 6) == "1.0 3.0 3.0 2.0 3.0 1.0");
  // The mean of the neighbours along x and y, the value itself on the edge.
  CHECK(values_of("a[i] if i % n == 0 or i % n == n - 1 else (a[i - 1] + a[i + 1]) * half", 6) ==
        "1.0 2.0 3.0 4.0 5.0 6.0");
  CHECK(values_of("max(l, 6, -a[l]) + min(l, i + 1, a[l])", 2) == "0.0 0.0");
  CHECK(values_of("exp(a[i]) / sum(l, 6, exp(a[l])) > 0.1", 6) == "0 0 0 0 1 1");
}

TEST_CASE("formulas know integers from reals") {
  for (const auto& [text, wanted] : std::vector<std::pair<const char*, const char*>>{
           {"7 // 2", "3"},
           {"7 / 2", "3.5"},
           {"-7 // 2", "-4"},
           {"-7 % 3", "2"},
           {"7.5 // 2", "3.0"},
           {"True + (m < n)", "2"},
           {"1 < m < n", "1"},
           {"m in (1, 2) and n not in [3]", "0"},
           {"2 ** 10", "1024"},
           {"2.0 ** -1", "0.5"},
           {"min(3, 2.5)", "2.5"},
           {"max([1, 5, 3])", "5"},
           {"1 if m else 0.5", "1.0"},
           {"0 or half", "0.5"},
           {"int(-2.7)", "-2"},
           {"round(2.5)", "2"},
           {"sqrt(9)", "3.0"},
           {"log2(8) + ceil(half)", "4.0"},
           {"sum(l, 4, l)", "6"},
           {"sum(l, 4, l * half)", "3.0"},
           {"sum(l, 0, a[99])", "0.0"},
           {"sum(l, -5, l)", "0"},
           {"max(m, n, 7)", "7"},
           {"min(l, n, 7 - l)", "5"},
           {"-a[0]", "-1.0"},
           {"not a[0]", "0"},
           {"abs(sum(l, 3, -l))", "3"},
           {"ProblemSize[0] + 1", "3"},
           {"9007199254740993 + 0", "9007199254740993"}}) {
    INFO(text);
    CHECK(text_of(value_of(text)) == wanted);
  }
}

TEST_CASE("only what is needed of a formula is evaluated, what a loop does not change once") {
  std::vector<std::uint64_t> asked;
  FormulaNames counting{{{"n", Integer{4}}},
                        {{"a", true, 8, [&](std::uint64_t i) { return asked.push_back(i), 2.0; }}},
                        {}};
  const auto reads = [&](const std::string& text, std::uint64_t index = 1) {
    asked.clear();
    ElementFormula(text, counting).element(index, never);
    return asked.size();
  };
  CHECK(reads("sum(l, n, a[i] * l)") == 1);
  CHECK(reads("sum(l, n, a[i] if l > 1 else 0)") == 1);
  CHECK(reads("sum(l, n, a[i] if l > 7 else 0)") == 0);
  CHECK(reads("sum(l, 0, a[i])") == 0);
  CHECK(reads("sum(l, n, sum(j, n, a[i] + a[l] + a[j]))") == 1 + 4 + 16);
  CHECK(reads("sum(l, n, sum(j, l, a[i] + a[l]))") == 1 + 3); // the first round has no terms
  CHECK(reads("sum(l, n, sum(j, n, a[l] if j % 2 else a[i]))") == 1 + 4);
  CHECK(reads("sum(l, n, a[l] / sum(j, n, a[j]))") == 4 + 4);
  CHECK(reads("sum(l, n, l > 1 and sum(j, n, sum(k, 2, a[i] * a[j])) > 0)") == 1 + 4);
  CHECK(reads("0 and a[0]") == 0);
  CHECK(reads("1 < 0 < a[0]") == 0);
  CHECK_NOTHROW(reads("sum(l, n, 1 // l if l else 0)"));
}

TEST_CASE("what is never needed at once shares a register") {
  const auto registers = [](const std::string& text) {
    return ElementFormula(text, names()).program().front().a;
  };
  std::string sums = "sum(l, n, a[l])", deep = "a[i]";
  for (int k = 0; k < 60; ++k) {
    sums += " + sum(l, n, a[l] * l)";
    deep = "a[i] * 2 - (" + deep + ")";
  }
  CHECK(registers("a[i] + half * a[i + 1]") <= 6);
  CHECK(registers(sums) <= 16);
  CHECK(registers(deep) >= 60); // all of them are needed
  CHECK(values_of(sums, 1) == "486.0");
  CHECK(values_of(deep, 2) == "1.0 2.0");
  CHECK(values_of("sum(l, n, sum(j, l + 1, a[j] * (l + j) - (i + l) * a[l]) + a[l]) - i", 2) ==
        "9.0 -6.0");
}

TEST_CASE("functions of reals are right to the last place or nearly so") {
  const auto off = [](const std::string& text, double wanted) {
    const double found = std::get<double>(value_of(text));
    INFO(text << ": " << found);
    CHECK(std::abs(found - wanted) <= 2 * std::abs(std::nextafter(wanted, 9) - wanted));
  };
  const auto near = [](const std::string& text, double wanted) {
    CHECK(std::abs(std::get<double>(value_of(text)) - wanted) < 4e-16);
  };
  for (const double x : {0.001, 0.3, 0.7, 1.0, 2.5, 8.0, 41.7, 700.25}) {
    const std::string number = text_of(x);
    off("exp(" + number + ")", std::exp(x));
    off("exp(-" + number + ")", std::exp(-x));
    off("log(" + number + ")", std::log(x));
    off("log2(" + number + ")", std::log2(x));
    off("pow(" + number + ", 2.7)", std::pow(x, 2.7));
    off(number + " ** -12", std::pow(x, -12));
    off("sqrt(" + number + ")", std::sqrt(x));
    near("sin(" + number + ")", std::sin(x));
    near("cos(1e6 * " + number + ")", std::cos(1e6 * x));
    CHECK(std::abs(std::get<double>(value_of("tan(" + number + ")")) / std::tan(x) - 1) < 1e-14);
    CHECK(std::abs(std::get<double>(value_of("tanh(" + number + ")")) / std::tanh(x) - 1) < 2e-15);
  }
  for (int e = -1074; e < 1024; e += 7) { // powers of two are exact
    const std::string power = "pow(2.0, " + std::to_string(e) + ")";
    CHECK(std::get<double>(value_of(power)) == std::ldexp(1, e));
    CHECK(std::get<double>(value_of("log2(" + power + ")")) == e);
  }
  CHECK(text_of(value_of("pow(3, 4)")) == "81"); // of integers an integer, as in Python
  CHECK(text_of(value_of("9 ** 0.5 == 3")) == "1");
}

TEST_CASE("an element stops at its deadline, wherever it is") {
  ElementFormula formula("sum(l, huge, sum(j, huge, sum(k, 3, a[k])))", names());
  const auto begun = Clock::now();
  CHECK_FALSE(formula.element(0, begun + std::chrono::milliseconds(20)));
  CHECK(Clock::now() - begun < std::chrono::seconds(2)); // on a busy machine
  CHECK_FALSE(formula.element(0, begun));
}

TEST_CASE("slips in formulas are told with their column, before anything is evaluated") {
  const std::vector<std::pair<const char*, const char*>> cases = {
      {"b[i]", "expression 'b[i]', column 1: unknown vector 'b'"},
      {"a[i] + offset[i]", "column 8: unknown vector 'offset'; did you mean 'offsets'?"},
      {"1 + layout", "column 5: unknown name 'layout'"},
      {"hige", "column 1: unknown name 'hige'; did you mean 'huge'?"},
      {"a", "column 1: 'a' is a vector; an element of it is a[…]"},
      {"n[0]", "column 1: 'n' is a number and has no elements"},
      {"a[half]", "column 3: an index is an integer; int() makes one of a real"},
      {"a[i / 2]", "column 5: an index is an integer"},
      {"a[i", "column 4: expected ']', found the end"},
      {"BLOCK + 1", "column 1: 'BLOCK' is a parameter"},
      {"out[i]", "column 1: 'out' is an output"},
      {"sum(l, n)", "column 1: sum() takes a name, a count and a term, as in sum(l, n, a[l])"},
      {"sum(1, n, 2)", "column 1: sum() takes a name"},
      {"sum(n, 3, n)", "column 5: 'n' has another meaning here; choose another name"},
      {"sum(l, 2, sum(l, 2, l))", "column 15: 'l' has another meaning here"},
      {"sum(l, half, l)", "column 8: a count is an integer"},
      {"sum(l, 2, l) + l", "column 16: unknown name 'l'"},
      {"min(mm, n, 3)", "column 5: unknown name 'mm'"},
      {"sqrt(1, 2)", "column 1: sqrt() takes one value, found 2"},
      {"cot(1)", "column 1: unknown function 'cot'"},
      {"pow(2)", "column 6: expected ',', found ')'"},
      {"'text'", "column 1: a text has no place in a formula"},
      {"i in a", "column 6: expected a list after 'in'"},
      {"[1, 2]", "column 1: a list can stand only after 'in' or in min() and max()"},
      {"max([])", "column 1: the list is empty"},
      {"99999999999999999999", "column 1: the integer has more than 64 bits"},
      {"a[i] +", "column 7: expected a value, found the end"}};
  for (const auto& [text, wanted] : cases) {
    INFO(text);
    CHECK_THROWS_AS(ElementFormula(text, names()), InputError);
    CHECK_THAT(error_of(text), contains_text(wanted));
  }
  CHECK_THAT(error_of(std::string(10'001, '1')), contains_text("the limit is 10000"));
  CHECK_THAT(error_of(std::string(500, '(')), contains_text("nested too deeply"));
}

TEST_CASE("what has no value is told with its column") {
  const std::vector<std::pair<const char*, const char*>> cases = {
      {"a[6]", "column 1: index 6 is outside 'a', which has elements 0 to 5"},
      {"2 * a[-1]", "column 5: index -1 is outside 'a'"},
      {"1 // (m - 2)", "column 3: division by zero"},
      {"sum(l, n, 1 % (l - 1))", "column 13: division by zero"},
      {"1 / 0", "column 3: division by zero"},
      {"huge + 1", "column 6: the integer has more than 64 bits"},
      {"-(-huge - 1)", "column 1: the integer has more than 64 bits"},
      {"sum(l, n, huge)", "column 1: the integer has more than 64 bits"},
      {"int(1e30)", "column 1: the integer has more than 64 bits"},
      {"10.0 ** 400", "column 6: the number is too large"},
      {"exp(1000)", "column 1: the number is too large"},
      {"2 ** (0 - 1)", "column 3: a negative power of an integer is no integer; write 2.0 for 2"},
      {"sqrt(-1)", "column 1: the result is undefined"},
      {"log(0)", "column 1: the result is undefined"},
      {"sin(1e9)", "column 1: the number is too large"},
      {"log2(0)", "column 1: the result is undefined"},
      {"int(1e308 * 10 - 1e308 * 10)", "column 1: the result is undefined"},
      {"max(l, 0, l)", "column 1: min() and max() of no terms: the count is not positive"},
      {"long[0]", "column 1: element 0 of 'long' is beyond 2^53"}};
  for (const auto& [text, wanted] : cases) {
    INFO(text);
    CHECK_THROWS_AS(value_of(text), EvaluationError);
    CHECK_THAT(error_of(text), contains_text(wanted));
  }
  CHECK(text_of(value_of("long[1]")) == "4");
}

TEST_CASE("plain expressions have nothing of a formula's own") {
  for (const char* text : {"sum(l, 2, l)", "sqrt(4)", "a[i]", "in[0] == 1"}) {
    INFO(text);
    CHECK_THROWS_AS(Expression::parse(text), InputError);
  }
  CHECK(to_text(Expression::parse("sqrt(4) + exp(0)", Syntax::reals).evaluate(Bindings{})) ==
        "3.0");
  CHECK_THROWS_AS(Expression::parse("a[i]", Syntax::reals), InputError);
  CHECK(to_text(Expression::parse("pow(n, 2)").evaluate(Bindings{{"n", std::int64_t{3}}})) == "9");
}

namespace {

struct Data {
  FormulaNames names;
  std::vector<std::pair<std::string, std::string>> lines; ///< formula, results
};

ElementNumber number_of(const Value& value) {
  if (const auto* real = std::get_if<double>(&value))
    return *real;
  return std::get<Integer>(value);
}

Data read_data() {
  std::istringstream in(read_unpacked(GRIDSMITH_SOURCE_DIR "/tests/data/formulas/formulas.txt.gz"));
  Data data;
  for (std::string line; std::getline(in, line);) {
    const std::size_t bar = line.find('|'), equals = line.find(" = ");
    if (bar != std::string::npos) {
      data.lines.emplace_back(line.substr(0, bar), line.substr(bar + 1));
      continue;
    }
    const std::string name = line.substr(0, equals), text = line.substr(equals + 3);
    const bool vector = text.front() == '[';
    const auto values = parse_value_list(vector ? text : "[" + text + "]");
    if (!vector) {
      data.names.numbers[name] = number_of(values.front());
      continue;
    }
    std::vector<double> numbers;
    numbers.reserve(values.size());
    for (const Value& value : values)
      numbers.push_back(to_number(value));
    data.names.vectors.push_back(
        vector_of(name, std::holds_alternative<double>(values.front()), numbers));
  }
  return data;
}

/// "1e+16" and "1e16" are the same real, and so is the next one: Python's powers are the C library's.
bool same_number(const std::string& text, const ElementNumber& number) {
  const auto* real = std::get_if<double>(&number);
  if (!real)
    return std::to_string(std::get<Integer>(number)) == text;
  const double wanted = std::strtod(text.c_str(), nullptr);
  return wanted == *real || std::nextafter(wanted, *real) == *real ||
         (std::isnan(*real) && text == "nan");
}

/// @return "" or what is wrong
std::string wrong_in(ElementFormula& formula, const std::string& wanted) {
  std::istringstream results(wanted);
  std::string result;
  for (std::uint64_t i = 0; results >> result; ++i) {
    std::string found = "z";
    bool right = result == "z";
    try {
      const ElementNumber number = formula.element(i, never).value();
      found = text_of(number);
      right = same_number(result, number);
    } catch (const EvaluationError& error) {
      found = error.what();
    }
    if (!right)
      return "element " + std::to_string(i) + " is " + found + ", not " + result;
  }
  return "";
}

} // namespace

TEST_CASE("5,000 random formulas are what Python says") {
  const Data data = read_data();
  CHECK(data.lines.size() == 5'000);
  std::size_t wrong = 0;
  std::string shown;
  for (const auto& [text, wanted] : data.lines) {
    ElementFormula formula(text, data.names);
    const std::string problem = wrong_in(formula, wanted);
    if (!problem.empty() && ++wrong <= 20)
      shown += text + ": " + problem + "\n";
  }
  INFO(shown);
  CHECK(wrong == 0);
}

namespace {

/// As threads of a device have them: the registers of several elements in turn, and what was in them before.
struct DeviceLike {
  static constexpr std::size_t threads = 3, thread = 1;

  DeviceLike(const ElementFormula& of) : formula(of), registers(threads * of.program().front().a) {}

  FormulaRegister& at(std::uint32_t place) { return registers.at(place * threads + thread); }

  std::uint64_t elements(std::uint32_t vector) const { return formula.vectors()[vector].elements; }

  double element(std::uint32_t vector, std::uint64_t index) const {
    return formula.vectors()[vector].element(index);
  }

  bool late() const { return false; }

  void poison(Integer value) {
    for (FormulaRegister& one : registers)
      one.whole = value;
  }

  const ElementFormula& formula;
  std::vector<FormulaRegister> registers;
};

std::string run_in(DeviceLike& memory, std::uint64_t index) {
  memory.at(formula_index).whole = static_cast<Integer>(index);
  const FormulaEnd end = run_formula(memory.formula.program().data(), memory);
  if (end.fault != FormulaFault::none)
    return "fault " + std::to_string(static_cast<int>(end.fault)) + " at " + std::to_string(end.at);
  const FormulaRegister result = formula_result(memory.formula.program().data(), memory);
  return memory.formula.gives_real() ? text_of(result.real) : text_of(result.whole);
}

} // namespace

TEST_CASE("5,000 random formulas read no register before they wrote it") {
  std::size_t wrong = 0;
  std::string shown;
  const Data data = read_data();
  for (const auto& [text, wanted] : data.lines) {
    ElementFormula formula(text, data.names);
    DeviceLike clean(formula), dirty(formula);
    for (std::uint64_t i = 0; i < 4; ++i) {
      clean.poison(0);
      dirty.poison(i % 2 ? -1 : 0x4045'0000'0000'0001);
      const std::string a = run_in(clean, i), b = run_in(dirty, i);
      std::string c = b;
      try {
        c = text_of(formula.element(i, never).value());
      } catch (const EvaluationError&) {
        c = b.find("fault") == 0 ? b : "a fault";
      }
      if ((a != b || b != c) && ++wrong <= 20)
        shown += text + ": " + a + ", " + b + ", " + c + "\n";
    }
  }
  INFO(shown);
  CHECK(wrong == 0);
}

} // namespace formula_test
