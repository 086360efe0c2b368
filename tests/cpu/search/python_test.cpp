// SPDX-License-Identifier: Apache-2.0
// Random expressions with Python's results (tests/data/expressions): the evaluator, the search space
// and its reasons say the same.
#include "gridsmith/base/expression/tree.hpp"
#include "gridsmith/base/expression/value_list.hpp"
#include "gridsmith/base/file.hpp"
#include "gridsmith/search/space/space.hpp"
#include "gridsmith/tests/catch.hpp"
#include "gridsmith/tests/sanitized.hpp"

#include <cmath>
#include <cstdlib>
#include <sstream>
#include <string>
#include <vector>

namespace python_test {

using namespace gridsmith;

namespace {

struct Line {
  std::string text, value, truths;
};

struct Data {
  std::vector<Parameter> parameters;
  std::vector<Line> lines;
};

Data read_data() {
  std::istringstream in(
      read_unpacked(GRIDSMITH_SOURCE_DIR "/tests/data/expressions/expressions.txt.gz"));
  Data data;
  for (std::string line; std::getline(in, line);) {
    const std::size_t last = line.rfind('|');
    if (last == std::string::npos) {
      data.parameters.push_back({line.substr(0, 1), parse_value_list(line.substr(4))});
      continue;
    }
    const std::size_t first = line.rfind('|', last - 1);
    data.lines.push_back(
        {line.substr(0, first), line.substr(first + 1, last - first - 1), line.substr(last + 1)});
  }
  return data;
}

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

  void expect(bool right, const Line& line, const std::string& what) {
    if (right)
      return;
    if (++count <= 20)
      shown += line.text + "|" + line.value + "|" + line.truths + ": " + what + "\n";
  }
};

/// All combinations of the parameters' values, the last one changing fastest.
std::vector<Configuration> combinations(const std::vector<Parameter>& parameters) {
  std::vector<Configuration> all(1);
  for (const Parameter& parameter : parameters) {
    std::vector<Configuration> longer;
    for (const Configuration& one : all)
      for (const Value& value : parameter.values) {
        longer.push_back(one);
        longer.back().emplace_back(parameter.name, value);
      }
    all = std::move(longer);
  }
  return all;
}

Bindings bindings_of(const Configuration& configuration) {
  return {configuration.begin(), configuration.end()};
}

void check_value(const Line& line, const Expression& expression, const Bindings& first,
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
void check_space(const Line& line, const Expression& expression,
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
  const Data data = read_data();
  CHECK(data.lines.size() == 50'000);
  Failures failures;
  const std::size_t step = sanitized() ? 20 : 1; // a sample is enough for what they look for
  for (std::size_t at = 0; at < data.lines.size(); at += step) {
    const Line& line = data.lines[at];
    const Expression expression = Expression::parse(line.text);
    std::vector<Parameter> parameters;
    for (const Parameter& parameter : data.parameters)
      if (expression.names().contains(parameter.name))
        parameters.push_back(parameter);
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
