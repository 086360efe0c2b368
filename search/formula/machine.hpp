// What formulas are compiled to: instructions on registers, each with the function that does it. Not
// for use outside search/formula.
#pragma once

#include "gridsmith/base/expression/tree.hpp"
#include "gridsmith/search/formula/formula.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace gridsmith::detail {

struct FormulaStep;
struct Machine;

/// Which of the two is known when the formula is compiled.
union Register {
  std::int64_t whole = 0;
  double real;
};

/// Does one instruction. @return the next one; nullptr: the end, or it could not be done
using Step = const FormulaStep* (*)(Register* r, const FormulaStep&, Machine&);

struct FormulaStep {
  Step step = nullptr;
  std::uint32_t to = 0;       ///< the register of the result, or the place that is jumped to
  std::uint32_t a = 0, b = 0; ///< registers of operands
  std::uint32_t c = 0;        ///< the vector that is read
  std::uint32_t column = 0;   ///< in the text
};

/// A program, its registers, and how it went.
struct Machine {
  std::vector<FormulaStep> code;
  std::vector<Register> registers; ///< constants stand in theirs from the beginning
  std::vector<FormulaVector> vectors;
  ElementFormula::Clock::time_point deadline;
  std::uint32_t patience = 0; ///< terms until the clock is looked at
  bool late = false;
  std::string fault; ///< "" or why there is no result …
  std::uint32_t fault_column = 0;

  /// Runs from the first instruction to the end, a fault, or the deadline.
  void run();
};

/// + - * // % ** and / (of reals), and the relations.
Step step_of(Operator op, bool real);
/// The functions of one operand; integers where `real` is false.
Step step_of(Function function, bool real);
Step extreme_step(Function function, bool real);
/// Element a of vector c; `at_sum`: element a + b.
Step read_step(bool real, bool at_sum);

const FormulaStep* stop(Register*, const FormulaStep&, Machine&);
const FormulaStep* copy(Register*, const FormulaStep&, Machine&);    ///< to = a
const FormulaStep* to_real(Register*, const FormulaStep&, Machine&); ///< of an integer
const FormulaStep* negate_whole(Register*, const FormulaStep&, Machine&);
const FormulaStep* negate_real(Register*, const FormulaStep&, Machine&);
const FormulaStep* is_zero(Register*, const FormulaStep&, Machine&);         ///< of an integer
const FormulaStep* is_nonzero_real(Register*, const FormulaStep&, Machine&); ///< its truth

const FormulaStep* jump(Register*, const FormulaStep&, Machine&);
const FormulaStep* jump_if_zero(Register*, const FormulaStep&, Machine&); ///< register a
const FormulaStep* jump_if_nonzero(Register*, const FormulaStep&, Machine&);
const FormulaStep* jump_if_none(Register*, const FormulaStep&,
                                Machine&); ///< count a is not positive
const FormulaStep* require_some(Register*, const FormulaStep&, Machine&); ///< count a is positive
/// Where flag a is set; sets it.
const FormulaStep* jump_if_done(Register*, const FormulaStep&, Machine&);
/// One more in a; jumps where it is below b.
const FormulaStep* advance(Register*, const FormulaStep&, Machine&);

} // namespace gridsmith::detail
