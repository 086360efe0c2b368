// Runs an expression's program on a stack, host and device alike: integers of 64 bits that wrap,
// Python's // and %, reals in double. It has a value for every index: what is undefined in arithmetic
// is 0 for integers and NaN or infinite for reals. Not to be compiled with a * b + c contracted.
#pragma once

#include "gridsmith/kernels/inputs/instruction.hpp"
#include "gridsmith/kernels/inputs/reals.hpp"

#include <cstdint>

namespace gridsmith {

struct Number {
  std::uint64_t bits; ///< of an int64 or a double
  bool real;

  double as_real() const {
    return real ? same_bits<double>(bits) : static_cast<double>(static_cast<std::int64_t>(bits));
  }

  bool truth() const { return real ? as_real() != 0 : bits != 0; }
};

inline Number number_of_real(double value) {
  return {same_bits<std::uint64_t>(value), true};
}

inline Number number_of_integer(std::uint64_t bits) {
  return {bits, false};
}

inline Number one_operand(Operation operation, std::uint64_t operand, Number a) {
  const double real = a.as_real();
  switch (operation) {
  case Operation::negate:
    return a.real ? number_of_real(-real) : number_of_integer(0 - a.bits);
  case Operation::absolute:
    return a.real ? number_of_real(absolute_of(real))
                  : number_of_integer(a.bits >> 63 != 0 ? 0 - a.bits : a.bits);
  case Operation::logical_not:
    return number_of_integer(!a.truth());
  case Operation::power: {
    Number result = a.real ? number_of_real(1) : number_of_integer(1);
    for (std::uint64_t i = 0; i < operand; ++i)
      result = a.real ? number_of_real(result.as_real() * real)
                      : number_of_integer(result.bits * a.bits);
    return result;
  }
  default:
    break;
  }
  if (!a.real)
    return a;
  const double whole = operation == Operation::floor   ? floor_of(real)
                       : operation == Operation::ceil  ? -floor_of(-real)
                       : operation == Operation::round ? round_of(real)
                                                       : real;
  return number_of_integer(static_cast<std::uint64_t>(whole_of(whole)));
}

inline Number integer_quotient(Operation operation, std::int64_t a, std::int64_t b) {
  if (b == 0)
    return number_of_integer(0);
  if (b == -1) // the lowest number has no positive twin
    return number_of_integer(operation == Operation::modulo ? 0
                                                            : 0 - static_cast<std::uint64_t>(a));
  const bool below = a % b != 0 && (a < 0) != (b < 0);
  return number_of_integer(static_cast<std::uint64_t>(
      operation == Operation::modulo ? a % b + (below ? b : 0) : a / b - (below ? 1 : 0)));
}

/// As CPython's float_floor_div and float_rem.
inline Number real_quotient(Operation operation, double a, double b) {
  double rest = remainder_of(a, b);
  double quotient = (a - rest) / b;
  if (rest != 0 && (rest < 0) != (b < 0)) {
    rest += b;
    quotient -= 1;
  }
  if (operation == Operation::modulo)
    return number_of_real(rest);
  const double whole = floor_of(quotient);
  return number_of_real(quotient - whole > 0.5 ? whole + 1 : whole);
}

inline bool stands(Operation operation, Number a, Number b) {
  const bool reals = a.real || b.real;
  const double x = a.as_real(), y = b.as_real();
  const auto i = static_cast<std::int64_t>(a.bits), j = static_cast<std::int64_t>(b.bits);
  const bool less = reals ? x < y : i < j, equal = reals ? x == y : i == j;
  const bool greater = reals ? x > y : i > j; // NaN is none of these
  switch (operation) {
  case Operation::equal:
    return equal;
  case Operation::not_equal:
    return !equal;
  case Operation::less:
    return less;
  case Operation::less_equal:
    return less || equal;
  case Operation::greater:
    return greater;
  default:
    return greater || equal;
  }
}

inline Number real_arithmetic(Operation operation, double a, double b) {
  switch (operation) {
  case Operation::add:
    return number_of_real(a + b);
  case Operation::subtract:
    return number_of_real(a - b);
  case Operation::multiply:
    return number_of_real(a * b);
  case Operation::divide:
    return number_of_real(a / b);
  default:
    return real_quotient(operation, a, b);
  }
}

inline Number integer_arithmetic(Operation operation, Number a, Number b) {
  switch (operation) {
  case Operation::add:
    return number_of_integer(a.bits + b.bits);
  case Operation::subtract:
    return number_of_integer(a.bits - b.bits);
  case Operation::multiply:
    return number_of_integer(a.bits * b.bits);
  case Operation::divide:
    return number_of_real(a.as_real() / b.as_real());
  default:
    return integer_quotient(operation, static_cast<std::int64_t>(a.bits),
                            static_cast<std::int64_t>(b.bits));
  }
}

inline Number two_operands(Operation operation, Number a, Number b) {
  switch (operation) {
  case Operation::logical_and:
    return a.truth() ? b : a;
  case Operation::logical_or:
    return a.truth() ? a : b;
  case Operation::min: // of equals the first
    return stands(Operation::less, b, a) ? b : a;
  case Operation::max:
    return stands(Operation::greater, b, a) ? b : a;
  default:
    break;
  }
  if (operation >= Operation::equal)
    return number_of_integer(stands(operation, a, b));
  return a.real || b.real ? real_arithmetic(operation, a.as_real(), b.as_real())
                          : integer_arithmetic(operation, a, b);
}

/// @pre a program of compile_program()
__attribute__((noinline)) inline Number
run_program(const Instruction* program, std::uint64_t instructions, std::uint64_t index) {
  Number stack[deepest_program];
  std::uint64_t top = 0; // numbers on the stack
  for (std::uint64_t at = 0; at < instructions; ++at) {
    const auto operation = static_cast<Operation>(program[at].operation);
    const std::uint64_t operand = program[at].operand;
    if (operation <= Operation::index) {
      stack[top++] = {operation == Operation::index ? index : operand,
                      operation == Operation::real};
    } else if (operation == Operation::select) {
      top -= 2;
      stack[top - 1] = stack[top - 1].truth() ? stack[top] : stack[top + 1];
    } else if (takes_two(operation)) {
      --top;
      stack[top - 1] = two_operands(operation, stack[top - 1], stack[top]);
    } else {
      stack[top - 1] = one_operand(operation, operand, stack[top - 1]);
    }
  }
  return stack[0];
}

} // namespace gridsmith
