// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/search/formula/formula.hpp"

#include "gridsmith/base/expression/parser.hpp"
#include "gridsmith/search/formula/emit.hpp"
#include "gridsmith/search/formula/resolve.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <string>
#include <utility>

namespace gridsmith {

namespace {

constexpr std::size_t longest_formula = 10'000; // characters: what people write is far shorter
constexpr std::uint32_t terms_per_look = 4096;  // some 100 us

std::uint64_t bits_of(const ElementNumber& number) {
  if (const auto* real = std::get_if<double>(&number))
    return std::bit_cast<std::uint64_t>(*real);
  return static_cast<std::uint64_t>(std::get<std::int64_t>(number));
}

/// What a program works on, on the host.
struct HostMemory {
  std::vector<FormulaRegister>& registers;
  const std::vector<FormulaVector>& vectors;
  ElementFormula::Clock::time_point deadline;
  std::uint32_t& patience; ///< terms until the clock is looked at

  FormulaRegister& at(std::uint32_t place) { return registers[place]; }

  std::uint64_t elements(std::uint32_t vector) const { return vectors[vector].elements; }

  double element(std::uint32_t vector, std::uint64_t index) const {
    return vectors[vector].element(index);
  }

  bool late() {
    if (patience-- != 0)
      return false;
    patience = terms_per_look;
    return ElementFormula::Clock::now() > deadline;
  }
};

std::string words_of(const FormulaEnd& end, const FormulaStep& step,
                     const std::vector<FormulaVector>& vectors) {
  switch (end.fault) {
  case FormulaFault::division_by_zero:
    return "division by zero";
  case FormulaFault::overflow:
    return "the integer has more than 64 bits";
  case FormulaFault::too_large:
    return "the number is too large, reals end at 1.8e308";
  case FormulaFault::negative_power:
    return "a negative power of an integer is no integer; write 2.0 for 2";
  case FormulaFault::no_terms:
    return "min() and max() of no terms: the count is not positive";
  case FormulaFault::outside:
    return fmt::format("index {} is outside '{}', which has elements 0 to {}", end.index,
                       vectors[step.c].name,
                       static_cast<std::int64_t>(vectors[step.c].elements) - 1);
  case FormulaFault::inexact:
    return fmt::format("element {} of '{}' is beyond 2^53, where integers are not exact here",
                       end.index, vectors[step.c].name);
  default:
    return "the result is undefined";
  }
}

} // namespace

std::vector<FormulaStep> compile_formula(std::string_view text, const FormulaNames& names,
                                         FormulaKind kind) {
  if (text.size() > longest_formula)
    detail::fail_at(text, longest_formula,
                    "it has " + std::to_string(text.size()) + " characters, the limit is " +
                        std::to_string(longest_formula));
  detail::ExpressionArena arena(text);
  detail::ExpressionParser parser(arena, Syntax::formula);
  const ExpressionNode& root = *parser.expression();
  parser.expect_end();
  const auto meanings = detail::Resolver(arena, names).resolve(root);
  std::vector<std::uint64_t> constants;
  for (const auto& [name, number] : names.numbers)
    constants.push_back(bits_of(number));
  return detail::Emitter(arena, meanings, kind, std::move(constants)).emit_all(root);
}

ElementFormula::ElementFormula(std::string_view text, FormulaNames names)
    : text_(text), program_(compile_formula(text, names, FormulaKind::exact)),
      registers_(program_.front().a), vectors_(std::move(names.vectors)) {
}

bool ElementFormula::gives_real() const {
  return program_.front().real;
}

std::optional<ElementNumber> ElementFormula::element(std::uint64_t index,
                                                     Clock::time_point deadline) {
  HostMemory memory{registers_, vectors_, deadline, patience_};
  memory.at(formula_index).whole = static_cast<std::int64_t>(index);
  const FormulaEnd end = run_formula(program_.data(), memory);
  if (end.fault == FormulaFault::late)
    return std::nullopt;
  if (end.fault != FormulaFault::none) {
    const FormulaStep& step = program_[end.at];
    throw EvaluationError(detail::place_in(text_, step.column) + ": " +
                          words_of(end, step, vectors_));
  }
  const FormulaRegister result = formula_result(program_.data(), memory);
  return gives_real() ? ElementNumber(result.real) : ElementNumber(result.whole);
}

} // namespace gridsmith
