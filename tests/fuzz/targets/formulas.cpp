// SPDX-License-Identifier: Apache-2.0
// A formula for the elements of an output: what is accepted gives a number in time, or says why not;
// what it shares with plain expressions has the same value there.
#include "gridsmith/search/formula/formula.hpp"
#include "gridsmith/tests/fuzz/fuzz.hpp"

#include <cmath>

namespace gridsmith::fuzz::formulas {

namespace {

using Clock = ElementFormula::Clock;

constexpr std::chrono::milliseconds limit{100};

FormulaNames names() {
  const auto number = [](std::uint64_t i) { return static_cast<double>(i * 7 % 5); };
  const auto half = [](std::uint64_t i) { return static_cast<double>(i) - 2.5; };
  return {{{"n", std::int64_t{4}},
           {"m", std::int64_t{-3}},
           {"c", 0.5},
           {"ProblemSize[0]", std::int64_t{4}}},
          {{"a", false, 5, number}, {"x", true, 6, half}, {"in", false, 3, number}},
          {{"B", "is a parameter"}}};
}

/// Plain expressions hold integers of more bits, and compare an integer with a real exactly.
bool same(const ElementNumber& number, const Value& value) {
  const double found = std::visit([](auto held) { return static_cast<double>(held); }, number);
  const double wanted = to_number(value);
  return found == wanted || (std::isnan(found) && std::isnan(wanted)) || std::abs(wanted) > 0x1p50;
}

void compare(const std::string& text, ElementFormula& formula) {
  const Bindings bindings = {
      {"i", std::int64_t{1}}, {"n", std::int64_t{4}}, {"m", std::int64_t{-3}}, {"c", 0.5}};
  std::optional<ElementNumber> number;
  const bool given = answered([&] { number = formula.element(1, Clock::now() + limit); });
  Value value;
  if (given && number && text.find_first_of("0123456789[") == std::string::npos &&
      answered([&] { value = Expression::parse(text).evaluate(bindings); }))
    require(same(*number, value), "a plain expression has another value: " + to_text(value));
}

} // namespace

void run(const std::uint8_t* bytes, std::size_t count) {
  answered([&] {
    const std::string text(text_of(bytes, count));
    ElementFormula formula(text, names());
    for (std::uint64_t i = 0; i < 3; ++i) {
      const auto begun = Clock::now();
      answered([&] { formula.element(i, begun + limit); });
      require(Clock::now() - begun < 20 * limit, "the deadline did not hold");
    }
    compare(text, formula);
  });
}

} // namespace gridsmith::fuzz::formulas
