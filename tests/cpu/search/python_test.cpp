// SPDX-License-Identifier: Apache-2.0
// Random expressions with Python's results (tests/data/expressions): the evaluator, the search space
// and its reasons say the same.
#include "gridsmith/base/expression/tree.hpp"
#include "gridsmith/search/space/space.hpp"
#include "gridsmith/tests/catch.hpp"
#include "gridsmith/tests/cpu/python_expressions.hpp"
#include "gridsmith/tests/sanitized.hpp"

#include <cmath>
#include <cstdlib>
#include <string>
#include <vector>

namespace python_test {

using namespace gridsmith;

namespace {

/// In the words of the data.
template <class Act>
std::string answer_of(Act act) {
  try {
    return act();
  } catch (const EvaluationError&) {
    return "z";
  } catch (const NumberTooLarge& error) {
    const bool result = std::string(error.what()).find("more than 64 bits") != std::string::npos;
    return result ? "big" : "L";
  } catch (const InputError& error) {
    return error.what();
  }
}

/// "1e+16" and "1e16" are the same real.
bool same_number(const std::string& text, const Value& value) {
  const auto* real = std::get_if<double>(&value);
  if (!real)
    return to_text(value) == text;
  return text.find_first_of(".en") != std::string::npos &&
         (std::strtod(text.c_str(), nullptr) == *real || (std::isnan(*real) && text == "nan"));
}

struct Failures {
  std::size_t count = 0;
  std::string shown;

  void expect(bool right, const PythonLine& line, const std::string& what) {
    if (right)
      return;
    if (++count <= 20)
      shown += line.text + "|" + line.value + "|" + line.truths + ": " + what + "\n";
  }
};

Bindings bindings_of(const Configuration& configuration) {
  return {configuration.begin(), configuration.end()};
}

void check_value(const PythonLine& line, const Expression& expression, const Bindings& first,
                 Failures& failures) {
  Value value;
  const std::string problem = answer_of([&] {
    value = expression.evaluate(first);
    return std::string();
  });
  const bool right = problem.empty() ? same_number(line.value, value) : problem == line.value;
  failures.expect(right, line, problem.empty() ? "the value is " + to_text(value) : problem);
}

/// Where Python has no answer for a part that another part makes unnecessary, the space needs none.
void check_space(const PythonLine& line, const Expression& expression,
                 const std::vector<Parameter>& parameters, const std::vector<Configuration>& all,
                 Failures& failures) {
  const bool unanswered = line.truths.find('L') != std::string::npos;
  const bool parts = line.text.find(" and ") != std::string::npos ||
                     expression.root().kind == NodeKind::comparison;
  try {
    const SearchSpace space = SearchSpace::build(parameters, {{expression, line.text}});
    failures.expect(!unanswered || parts, line, "the space has an answer");
    for (std::size_t i = 0; i < all.size() && !unanswered; ++i) {
      const bool wanted = line.truths[i] == '1';
      const std::string with = " for " + to_text(all[i]);
      failures.expect(space.find(all[i]).has_value() == wanted, line, "in the space" + with);
      failures.expect(space.why_not(all[i]).empty() == wanted, line, "why not" + with);
    }
  } catch (const NumberTooLarge& error) {
    failures.expect(unanswered, line, error.what());
  }
}

} // namespace

TEST_CASE("50,000 random expressions are what Python says, in the evaluator and in the space") {
  const PythonExpressions data = read_python_expressions();
  CHECK(data.lines.size() == 50'000);
  Failures failures;
  const std::size_t step = sanitized() ? 20 : 1; // a sample is enough for what they look for
  for (std::size_t at = 0; at < data.lines.size(); at += step) {
    const PythonLine& line = data.lines[at];
    const Expression expression = Expression::parse(line.text);
    const std::vector<Parameter> parameters = data.parameters_of(expression.names());
    const std::vector<Configuration> all = combinations(parameters);
    REQUIRE(all.size() == line.truths.size());
    check_value(line, expression, bindings_of(all.front()), failures);
    for (std::size_t i = 0; i < all.size(); ++i) {
      const std::string truth =
          answer_of([&] { return expression.holds(bindings_of(all[i])) ? std::string("1") : "0"; });
      failures.expect(truth == std::string(1, line.truths[i]), line,
                      truth + " for " + to_text(all[i]));
    }
    check_space(line, expression, parameters, all, failures);
  }
  INFO(failures.shown);
  CHECK(failures.count == 0);
}

} // namespace python_test
