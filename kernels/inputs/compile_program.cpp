// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/kernels/inputs/compile_program.hpp"

#include "gridsmith/base/expression/tree.hpp"
#include "gridsmith/kernels/inputs/fill.hpp"
#include "gridsmith/search/formula/formula.hpp"

#include <fmt/format.h>

#include <utility>

namespace gridsmith {
namespace {

constexpr std::size_t longest_program = 512; // instructions and constants, run for each element

[[noreturn]] void fail(const Expression& expression, std::size_t column, const std::string& what) {
  throw InputError(fmt::format("expression '{}', column {}: {}", expression.text(), column, what));
}

void add_number(const std::string& name, const Value& value, FormulaNames& names) {
  if (std::holds_alternative<std::string>(value))
    names.refused[name] = "is a text, which cannot be an element's value";
  else if (const auto* real = std::get_if<double>(&value))
    names.numbers[name] = *real;
  else if (const auto* truth = std::get_if<bool>(&value))
    names.numbers[name] = std::int64_t{*truth};
  else
    names.numbers[name] = std::get<std::int64_t>(value);
}

/// Extents without names of their own: name[0].
void add_extents(const std::string& name, const Lookup& lookup, FormulaNames& names) {
  constexpr std::size_t most = 16; // more than any problem has
  for (std::size_t i = 0; i < most; ++i)
    if (const Value* value = lookup(fmt::format("{}[{}]", name, i)))
      add_number(fmt::format("{}[{}]", name, i), *value, names);
}

FormulaNames names_of(const Expression& expression, const Lookup& lookup,
                      std::vector<FormulaVector> vectors) {
  FormulaNames names{.numbers = {}, .vectors = std::move(vectors), .refused = {}};
  for (const std::string& name : expression.names()) {
    if (name == index_name)
      continue;
    const Value* value = lookup(name);
    if (!value)
      fail(expression, expression.column_of(name), fmt::format("unknown name '{}'", name));
    add_number(name, *value, names);
  }
  if (expression.vectors().contains(extents_name))
    add_extents(extents_name, lookup, names);
  return names;
}

/// Each element would take as long as a loop says.
void refuse_sums(const Expression& expression, const ExpressionNode& node) {
  if (node.kind == NodeKind::call && node.function == Function::sum)
    fail(expression, node.column, "what fills a vector has no sums");
  for (const ExpressionNode* child = node.first; child; child = child->next)
    refuse_sums(expression, *child);
}

} // namespace

std::vector<FormulaStep> compile_program(const Expression& expression, const Lookup& lookup,
                                         std::vector<FormulaVector> vectors) {
  refuse_sums(expression, expression.root());
  auto program = compile_formula(
      expression.text(), names_of(expression, lookup, std::move(vectors)), FormulaKind::total);
  if (program.size() > longest_program || program.front().a > most_fill_registers)
    fail(expression, 1,
         fmt::format("it is too long: at most {} steps and {} numbers at once", longest_program,
                     most_fill_registers));
  return program;
}

} // namespace gridsmith
