// SPDX-License-Identifier: Apache-2.0
// Constraints compiled as the solver does it, for the tests of the compiler's passes.
#pragma once

#include "gridsmith/search/compile/compiler.hpp"
#include "gridsmith/search/compile/order.hpp"
#include "gridsmith/search/compile/program.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace gridsmith::detail {

inline std::vector<Value> integers(std::int64_t first, std::int64_t last) {
  std::vector<Value> values;
  for (std::int64_t i = first; i <= last; ++i)
    values.emplace_back(i);
  return values;
}

/// All constraints, split, as one group whose variables stand in the order of the parameters.
struct Compiled {
  Compiled(std::vector<Parameter> all, const std::vector<std::string>& texts)
      : parameters(std::move(all)), compiler(parameters, facts) {
    for (const std::string& text : texts)
      constraints.push_back({Expression::parse(text), text});
    for (std::uint32_t i = 0; i < constraints.size(); ++i)
      compiler.add(constraints[i], i, true);
    for (const Conjunct& conjunct : compiler.conjuncts())
      group.roots.push_back(conjunct.root);
    values.resize(compiler.terms().size());
    for (std::uint32_t p = 0; p < parameters.size(); ++p)
      for (TermId id = 0; id < compiler.terms().size(); ++id)
        if (is_variable(id, p)) {
          group.variables.push_back(id);
          for (std::size_t i = 0; i < parameters[p].values.size(); ++i)
            values[id].push_back(static_cast<Position>(i));
        }
  }

  Compiled(const Compiled&) = delete;

  bool is_variable(TermId id, std::uint32_t parameter) const {
    const Term& term = compiler.terms()[id];
    return term.op == TermOp::variable && term.word == parameter;
  }

  std::vector<Parameter> parameters;
  std::vector<Constraint> constraints;
  Bindings facts;
  ConstraintCompiler compiler;
  Group group;
  std::vector<std::vector<Position>> values; ///< by term, as lower() takes them
};

/// Runs instructions without opaque terms. False as soon as something required does not hold.
inline bool run(const std::vector<Instruction>& program, std::vector<Word>& words) {
  for (const Instruction& step : program)
    if (step.kind != Instruction::Kind::require)
      words[step.to] = apply(step.op, words[step.a], words[step.b], words[step.c]);
    else if (words[step.a] == 0 || words[step.a] == undefined)
      return false;
  return true;
}

} // namespace gridsmith::detail
