// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/search/compile/lower.hpp"
#include "gridsmith/tests/catch.hpp"
#include "gridsmith/tests/cpu/search/compiled.hpp"

#include <algorithm>

namespace lower_test {

using namespace gridsmith;
using namespace gridsmith::detail;

namespace {

const std::vector<Parameter> three = {
    {"a", integers(1, 8)}, {"b", integers(0, 6)}, {"c", {1.5, 0.5, 4.0}}};

std::size_t count(const Level& level, TermOp op) {
  const auto same = [&](const Instruction& step) {
    return step.op == op && step.kind != Instruction::Kind::require;
  };
  return static_cast<std::size_t>(std::ranges::count_if(level.program, same));
}

/// Whether the constraints hold for positions, by their trees.
bool truth(const Compiled& all, const std::vector<std::size_t>& chosen) {
  Bindings names;
  for (std::size_t i = 0; i < chosen.size(); ++i)
    names[all.parameters[i].name] = all.parameters[i].values[chosen[i]];
  const auto holds = [&](const Constraint& constraint) {
    try {
      return is_true(constraint.expression.evaluate(names));
    } catch (const EvaluationError&) {
      return false;
    }
  };
  return std::ranges::all_of(all.constraints, holds);
}

/// Runs all levels for every choice of values. How many times a level is run that no earlier one
/// has refused.
std::size_t check_program(const Compiled& all, Program program) {
  std::size_t runs = 0;
  std::vector<std::size_t> chosen(program.levels.size());
  std::vector<Word> words = program.constants;
  const auto descend = [&](auto&& self, std::size_t level, bool refused) -> void {
    if (level == program.levels.size()) {
      CHECK(truth(all, chosen) == !refused);
      return;
    }
    const Level& here = program.levels[level];
    for (std::size_t i = 0; i < here.words.size(); ++i) {
      chosen[level] = i;
      words[here.slot] = here.words[i];
      const bool holds = !refused && run(here.program, words);
      runs += !refused;
      self(self, level + 1, !holds); // what is refused early must be false for all that follows
    }
  };
  descend(descend, 0, false);
  return runs;
}

} // namespace

TEST_CASE("lower: an operation is computed once, where its last variable is assigned") {
  const Compiled all(three, {"a * b <= 12", "a * b != 6", "a + b > c"});
  const Program program = lower(all.compiler, all.group, all.values, false);
  REQUIRE(program.levels.size() == 3);
  CHECK(program.levels[0].program.empty());
  CHECK(count(program.levels[1], TermOp::product) == 1);
  CHECK(count(program.levels[1], TermOp::sum) == 1);
  CHECK(count(program.levels[2], TermOp::real_less) == 1);
  CHECK(count(program.levels[2], TermOp::sum) == 0);
}

TEST_CASE("lower: the programs hold exactly where the constraints do") {
  const std::vector<std::vector<std::string>> sets = {
      {"a * b <= 12", "a * b != 6", "a + b > c"},
      {"a % b == 0"},
      {"b == 0 or a % b == 0", "c * a < 9"},
      {"24 % (a * b) == 0", "a / c >= 2"},
      {"a - b * 2 >= 0", "min(a, b) + c <= 5", "a ** b < 4000"},
      {"(a if b > 2 else b) != 3", "log2(a) <= c"}};
  for (const auto& texts : sets) {
    INFO(texts.front());
    const Compiled all(three, texts);
    check_program(all, lower(all.compiler, all.group, all.values, false));
    check_program(all, lower(all.compiler, all.group, all.values, true));
  }
}

TEST_CASE("lower: pruning refuses earlier") {
  const Compiled all(three, {"a * (b + 1) * 2 <= 10", "a + b + c >= 7"});
  CHECK(check_program(all, lower(all.compiler, all.group, all.values, true)) <
        check_program(all, lower(all.compiler, all.group, all.values, false)));
}

TEST_CASE("lower: two variables with another between them are remembered") {
  const Compiled all({{"a", integers(1, 8)}, {"b", integers(0, 6)}, {"c", integers(1, 4)}},
                     {"a * c <= 12", "a + b + c > 3"});
  const Program program = lower(all.compiler, all.group, all.values, false);
  CHECK(program.levels[1].tables.empty());
  REQUIRE(program.levels[2].tables.size() == 1);
  const PairTable& table = program.levels[2].tables.front();
  CHECK(table.earlier == 0);
  CHECK(table.allowed.size() == 8);
  std::vector<Word> words = program.constants;
  words[program.levels[0].slot] = 5;
  words[program.levels[2].slot] = 3;
  CHECK_FALSE(run(table.program, words));
  words[program.levels[0].slot] = 4;
  CHECK(run(table.program, words));
}

TEST_CASE("lower: a level's state is what later levels read") {
  const Compiled all(three, {"a + b <= 9", "a + b + c > 3"});
  const Program program = lower(all.compiler, all.group, all.values, false);
  CHECK(program.levels[1].state == std::vector<Slot>{program.levels[0].slot});
  REQUIRE(program.levels[2].state.size() == 1); // the sum, not its parts
  CHECK_FALSE(program.levels[1].repeats);
  CHECK(program.levels[2].repeats);
  CHECK(program.levels[1].changes_state);
  CHECK_FALSE(program.levels[2].changes_state);
}

} // namespace lower_test
