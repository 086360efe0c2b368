// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/kernels/inputs/compile_program.hpp"

#include "gridsmith/base/expression/tree.hpp"
#include "gridsmith/kernels/inputs/fill.hpp"
#include "gridsmith/search/formula/formula.hpp"

#include <fmt/format.h>

namespace gridsmith {
namespace {

constexpr std::int64_t largest_power = 64;
constexpr std::size_t longest_program = 512; // instructions and constants, run for each element

[[noreturn]] void fail(const Expression& expression, std::size_t column, const std::string& what) {
  throw InputError(fmt::format("expression '{}', column {}: {}", expression.text(), column, what));
}

/// What hardware does not compute alike everywhere.
void require_exact(const Expression& expression, const ExpressionNode& node) {
  if (node.kind == NodeKind::call && node.function == Function::log2)
    fail(expression, node.column,
         "log2 is not exact, and the GPU's may differ from the host's; choose from min, max, abs, "
         "ceil, floor, round, int");
  for (const ExpressionNode* child = node.first; child; child = child->next) {
    const auto* exponent = std::get_if<std::int64_t>(&child->value);
    if (child->relation == Operator::power &&
        (child->kind != NodeKind::literal || !child->text.empty() || !exponent ||
         *exponent > largest_power))
      fail(expression, child->column,
           fmt::format("** takes a whole number from 0 to {} here", largest_power));
    require_exact(expression, *child);
  }
}

FormulaNames names_of(const Expression& expression, const Lookup& lookup) {
  FormulaNames names;
  for (const std::string& name : expression.names()) {
    const Value* value = name == index_name ? nullptr : lookup(name);
    if (!value && name != index_name)
      fail(expression, expression.column_of(name), fmt::format("unknown name '{}'", name));
    if (!value)
      continue;
    if (std::holds_alternative<std::string>(*value))
      names.refused[name] = "is a text, which cannot be an element's value";
    else if (const auto* real = std::get_if<double>(value))
      names.numbers[name] = *real;
    else if (const auto* truth = std::get_if<bool>(value))
      names.numbers[name] = std::int64_t{*truth};
    else
      names.numbers[name] = std::get<std::int64_t>(*value);
  }
  return names;
}

} // namespace

std::vector<FormulaStep> compile_program(const Expression& expression, const Lookup& lookup) {
  require_exact(expression, expression.root());
  auto program =
      compile_formula(expression.text(), names_of(expression, lookup), FormulaKind::total);
  if (program.size() > longest_program || program.front().a > most_fill_registers)
    fail(expression, 1,
         fmt::format("it is too long: at most {} steps and {} numbers at once", longest_program,
                     most_fill_registers));
  return program;
}

} // namespace gridsmith
