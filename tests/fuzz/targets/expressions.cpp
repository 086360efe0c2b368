// SPDX-License-Identifier: Apache-2.0
// A search space of fuzzed values and constraints: lines of the form "A = value list" are parameters
// (the name is one letter), others constraints. Oracle: the space is what evaluating every
// configuration of the product gives, and --why-not says the same.
#include "gridsmith/base/expression/value_list.hpp"
#include "gridsmith/search/space/space.hpp"
#include "gridsmith/tests/fuzz/fuzz.hpp"

#include <algorithm>

namespace gridsmith::fuzz::expressions {

namespace {

constexpr std::size_t most_values = 8, most_parameters = 4; // so that brute force stays quick

const Bindings facts = {{"max_threads", std::int64_t{1024}}, {"ProblemSize[0]", std::int64_t{96}}};

struct Question {
  std::vector<Parameter> parameters;
  std::vector<Constraint> constraints;
};

void add_parameter(Question& question, const std::string& name, const std::string& list) {
  std::vector<Value> distinct;
  for (Value& value : parse_value_list(list)) {
    const bool known = std::any_of(distinct.begin(), distinct.end(),
                                   [&](const Value& one) { return same_value(one, value); });
    if (!known && distinct.size() < most_values)
      distinct.push_back(std::move(value));
  }
  if (!distinct.empty() && question.parameters.size() < most_parameters)
    question.parameters.push_back({name, std::move(distinct)});
}

Question read(std::string_view text) {
  Question question;
  for (const std::string& line : lines_of(text)) {
    const bool list = line.size() > 4 && line.substr(1, 3) == " = ";
    if (list)
      add_parameter(question, line.substr(0, 1), line.substr(4));
    else if (!line.empty())
      question.constraints.push_back({Expression::parse(line), line});
  }
  if (question.parameters.empty())
    question.parameters = {{"A", {std::int64_t{1}, std::int64_t{3}, std::int64_t{32}}},
                           {"B", {std::int64_t{0}, 0.5, true}}};
  return question;
}

enum class Verdict { in, out, unknown };

/// Unknown: an error of types, which a space may refuse or meet never.
Verdict judge(const Question& question, const Configuration& configuration) {
  Bindings names = facts;
  names.insert(configuration.begin(), configuration.end());
  Verdict verdict = Verdict::in;
  for (const Constraint& constraint : question.constraints) {
    try {
      if (!constraint.expression.holds(names))
        verdict = Verdict::out;
    } catch (const EvaluationError&) {
      verdict = Verdict::out;
    } catch (const Error&) {
      return Verdict::unknown;
    }
  }
  return verdict;
}

void compare(const Question& question, const SearchSpace& space) {
  std::vector<std::size_t> at(question.parameters.size(), 0);
  std::uint64_t in = 0, unknown = 0;
  for (bool more = true; more;) {
    Configuration configuration;
    for (std::size_t i = 0; i < at.size(); ++i)
      configuration.emplace_back(question.parameters[i].name, question.parameters[i].values[at[i]]);
    const Verdict verdict = judge(question, configuration);
    const bool held = space.find(configuration).has_value();
    const std::string what = to_text(configuration);
    require(verdict != Verdict::in || held, what + " is missing in the space");
    require(verdict != Verdict::out || !held, what + " is in the space, against its constraints");
    if (verdict != Verdict::unknown)
      require(space.why_not(configuration).empty() == held, what + ": --why-not disagrees");
    in += verdict == Verdict::in;
    unknown += verdict == Verdict::unknown;
    more = false;
    for (std::size_t i = 0; i < at.size() && !more; ++i) {
      more = ++at[i] < question.parameters[i].values.size();
      at[i] = more ? at[i] : 0;
    }
  }
  require(space.size() >= in && space.size() <= in + unknown, "the size of the space is wrong");
}

} // namespace

void run(const std::uint8_t* bytes, std::size_t count) {
  answered([&] {
    const Question question = read(text_of(bytes, count));
    compare(question, SearchSpace::build(question.parameters, question.constraints, facts));
  });
}

} // namespace gridsmith::fuzz::expressions
