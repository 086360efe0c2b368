// SPDX-License-Identifier: Apache-2.0
// What formulas are compiled to, and the machine that runs it: registers, and instructions on them.
// Host and device share this text; its compiler must not contract a * b + c.
#pragma once

#include "gridsmith/base/expression/number_arithmetic.hpp"

#include <cstdint>

namespace gridsmith {

/// Which of the two is known when the formula is compiled.
union FormulaRegister {
  std::int64_t whole;
  double real;
};

enum class FormulaAction : std::uint8_t {
  begin, ///< the first of all: a registers; the result is in `to`; b: see FormulaKind
  copy,
  to_real, ///< of an integer
  is_zero,
  is_nonzero,
  negate,
  calculate, ///< `op` of a and b
  relate,    ///< `op` of a and b
  least,
  greatest,
  function,       ///< of one operand
  element,        ///< a of vector c …
  element_at_sum, ///< … a + b: most indices are sums
  // From here on `to` is no register.
  stop,
  jump, ///< to instruction `to` …
  jump_if_zero,
  jump_if_nonzero,
  jump_if_none, ///< … where the count a is not positive …
  jump_if_done, ///< … where flag a is set; sets it
  advance,      ///< one more in a; jumps where it is below b
  require_some, ///< the count a is positive
  constant,     ///< behind the others, no instruction: its bits are a and b
};

/// What the programs are for: elements of outputs end at the first fault; what fills a vector has a value
/// for every index, that of number_arithmetic.hpp.
enum class FormulaKind : std::uint8_t { exact, total };

struct FormulaStep {
  FormulaAction action = FormulaAction::stop;
  Operator op = Operator::none;
  Function function = Function::none;
  bool real = false;          ///< operands, but of to_real
  std::uint32_t to = 0;       ///< the register of the result, or the place that is jumped to
  std::uint32_t a = 0, b = 0; ///< operands: registers, or constants
  std::uint32_t c = 0;        ///< the vector that is read
  std::uint32_t column = 0;   ///< in the text
};

static_assert(sizeof(FormulaStep) == 6 * sizeof(std::uint32_t)); // the same on both sides

/// An operand with this bit is the constant at the place of the others.
constexpr std::uint32_t formula_constant = 1u << 31;

/// The register of `i`.
constexpr std::uint32_t formula_index = 0;

enum class FormulaFault : std::uint8_t {
  none,
  division_by_zero, // as Fault
  overflow,
  too_large,
  domain,
  negative_power,
  no_terms,
  outside, ///< of a vector
  inexact, ///< an integer of a vector, beyond 2^53
  late,    ///< not done by the deadline
};

/// How a run ended.
struct FormulaEnd {
  FormulaFault fault = FormulaFault::none;
  std::uint32_t at = 0;   ///< the instruction …
  std::int64_t index = 0; ///< … and what it read
};

namespace detail {

inline FormulaRegister register_of(std::int64_t whole) {
  FormulaRegister made;
  made.whole = whole;
  return made;
}

inline FormulaRegister register_of(double real) {
  FormulaRegister made;
  made.real = real;
  return made;
}

inline FormulaFault formula_fault(Fault fault) {
  return fault == Fault::none               ? FormulaFault::none
         : fault == Fault::division_by_zero ? FormulaFault::division_by_zero
         : fault == Fault::overflow         ? FormulaFault::overflow
         : fault == Fault::too_large        ? FormulaFault::too_large
                                            : FormulaFault::domain;
}

inline FormulaFault calculate(const FormulaStep& step, FormulaRegister a, FormulaRegister b,
                              FormulaRegister& result) {
  if (!step.real) {
    if (step.op == Operator::power && b.whole < 0)
      return FormulaFault::negative_power;
    std::int64_t whole = 0;
    const Fault fault = arithmetic(step.op, a.whole, b.whole, whole);
    result.whole = whole;
    return formula_fault(fault);
  }
  double real = 0;
  const Fault fault = step.op == Operator::divide
                          ? arithmetic<Operator::divide>(a.real, b.real, real)
                      : step.op == Operator::power ? real_power(a.real, b.real, real)
                                                   : arithmetic(step.op, a.real, b.real, real);
  result.real = real;
  return formula_fault(fault);
}

inline FormulaFault negated(const FormulaStep& step, FormulaRegister a, FormulaRegister& result) {
  std::int64_t whole = 0;
  const bool fits = step.real || subtract_words(0, a.whole, whole);
  result = step.real ? register_of(-a.real) : register_of(whole);
  return fits ? FormulaFault::none : FormulaFault::overflow;
}

/// ceil, floor, round, int of reals.
inline FormulaFault rounded(Function function, double a, FormulaRegister& result) {
  std::int64_t number = 0;
  const Fault fault = whole(function, a, number);
  result.whole = number;
  return a != a ? FormulaFault::domain : formula_fault(fault);
}

__attribute__((noinline)) inline FormulaFault
function_of(const FormulaStep& step, FormulaRegister a, FormulaRegister& result) {
  if (gives_real(step.function)) {
    double real = 0;
    const Fault fault = real_function(step.function, a.real, real);
    result = register_of(real);
    return formula_fault(fault);
  }
  if (step.function != Function::abs && step.real)
    return rounded(step.function, a.real, result);
  if (!step.real && a.whole < 0 && step.function == Function::abs)
    return negated(step, a, result);
  result = step.real ? register_of(::fabs(a.real)) : a; // an integer is whole
  return FormulaFault::none;
}

/// One instruction that gives a number. Once in the device's code.
__attribute__((noinline)) inline FormulaFault
number_of(const FormulaStep& step, FormulaRegister a, FormulaRegister b, FormulaRegister& result) {
  switch (step.action) {
  case FormulaAction::calculate:
    return calculate(step, a, b, result);
  case FormulaAction::negate:
    return negated(step, a, result);
  case FormulaAction::function:
    return function_of(step, a, result);
  case FormulaAction::relate:
    result = register_of(std::int64_t{step.real ? stands(step.op, a.real, b.real)
                                                : stands(step.op, a.whole, b.whole)});
    return FormulaFault::none;
  case FormulaAction::least:
  case FormulaAction::greatest: {
    const bool greatest = step.action == FormulaAction::greatest;
    result = step.real ? register_of(extreme(greatest, a.real, b.real))
                       : register_of(extreme(greatest, a.whole, b.whole));
    return FormulaFault::none;
  }
  case FormulaAction::to_real:
    result = register_of(static_cast<double>(a.whole));
    return FormulaFault::none;
  case FormulaAction::is_zero:
    result = register_of(std::int64_t{a.whole == 0});
    return FormulaFault::none;
  case FormulaAction::is_nonzero:
    result = register_of(std::int64_t{step.real ? a.real != 0 : a.whole != 0});
    return FormulaFault::none;
  default:
    result = a; // copy
    return FormulaFault::none;
  }
}

template <class Memory>
inline FormulaRegister operand(const FormulaStep* program, std::uint32_t place, Memory& memory) {
  if ((place & formula_constant) == 0)
    return memory.at(place);
  const FormulaStep& held = program[place - formula_constant];
  return register_of(static_cast<std::int64_t>(held.a | static_cast<std::uint64_t>(held.b) << 32));
}

/// Reads element a, or a + b, of vector c; 0 where there is none. @param end gets the index
template <class Memory>
inline FormulaFault read_element(const FormulaStep& step, FormulaRegister a, FormulaRegister b,
                                 Memory& memory, FormulaEnd& end) {
  constexpr double exact_reals = 0x1p53; // integers of at most this size are the same in a double
  end.index = a.whole;
  memory.at(step.to) = register_of(std::int64_t{0}); // the bits of 0.0 as well
  if (step.action == FormulaAction::element_at_sum && !add_words(a.whole, b.whole, end.index))
    return FormulaFault::overflow;
  if (end.index < 0 || static_cast<std::uint64_t>(end.index) >= memory.elements(step.c))
    return FormulaFault::outside;
  const double number = memory.element(step.c, static_cast<std::uint64_t>(end.index));
  std::int64_t whole = 0;
  if (!step.real)
    to_integer(number, whole);
  memory.at(step.to) = step.real ? register_of(number) : register_of(whole);
  return step.real || ::fabs(number) <= exact_reals ? FormulaFault::none : FormulaFault::inexact;
}

/// Where it goes on. @param end gets a fault
template <class Memory>
inline std::uint32_t next_step(const FormulaStep* program, std::uint32_t place, Memory& memory,
                               FormulaEnd& end) {
  const FormulaStep& step = program[place];
  const std::int64_t a = operand(program, step.a, memory).whole;
  bool jumps = true;
  switch (step.action) {
  case FormulaAction::jump_if_zero:
    jumps = a == 0;
    break;
  case FormulaAction::jump_if_nonzero:
    jumps = a != 0;
    break;
  case FormulaAction::jump_if_none:
    jumps = a <= 0;
    break;
  case FormulaAction::jump_if_done:
    jumps = a != 0;
    memory.at(step.a).whole = 1;
    break;
  case FormulaAction::advance:
    if (memory.late())
      end.fault = FormulaFault::late;
    memory.at(step.a).whole = a + 1;
    jumps = a + 1 < operand(program, step.b, memory).whole;
    break;
  case FormulaAction::require_some:
    if (a <= 0)
      end.fault = FormulaFault::no_terms;
    jumps = false;
    break;
  default: // jump
    break;
  }
  return jumps ? step.to : place + 1;
}

} // namespace detail

/// @param program of the kind `total` or not, as its first step says; it begins there
/// @param memory at(place): the register, of which that of the index is set; elements(c), element(c,
/// index): of vector c; late(): asked for once a round of a loop
template <class Memory>
inline FormulaEnd run_formula(const FormulaStep* program, Memory& memory) {
  const bool total = program[0].b == static_cast<std::uint32_t>(FormulaKind::total);
  FormulaEnd end;
  for (end.at = 1; program[end.at].action != FormulaAction::stop;) {
    const FormulaStep& step = program[end.at];
    if (step.action > FormulaAction::stop) {
      const std::uint32_t next = detail::next_step(program, end.at, memory, end);
      if (end.fault != FormulaFault::none)
        return end;
      end.at = next;
      continue;
    }
    const FormulaRegister a = detail::operand(program, step.a, memory);
    const FormulaRegister b = detail::operand(program, step.b, memory);
    FormulaFault fault = FormulaFault::none;
    if (step.action >= FormulaAction::element) {
      fault = detail::read_element(step, a, b, memory, end);
    } else {
      FormulaRegister result = detail::register_of(std::int64_t{0});
      fault = detail::number_of(step, a, b, result);
      memory.at(step.to) = result;
    }
    if (fault != FormulaFault::none && !total) {
      end.fault = fault;
      return end;
    }
    ++end.at;
  }
  return end;
}

/// The result of a run that ended without a fault.
template <class Memory>
inline FormulaRegister formula_result(const FormulaStep* program, Memory& memory) {
  return detail::operand(program, program[0].to, memory);
}

} // namespace gridsmith
