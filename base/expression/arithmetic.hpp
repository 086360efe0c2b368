// Python's arithmetic, written once: on bare numbers, in line for compiled constraints, and on
// operands for the evaluator of trees.
#pragma once

#include "gridsmith/base/expression/operand.hpp"
#include "gridsmith/base/expression/tree.hpp"

#include <cmath>
#include <cstdint>

namespace gridsmith::detail {

/// Why an operation has no result; the caller adds where.
enum class Fault : std::uint8_t {
  none,
  division_by_zero,
  overflow,  ///< of 64 bits: a word does not hold the integer
  too_large, ///< an integer of too many bits, a real beyond the range where Python raises an error
  domain,    ///< log2 of 0, a root of a negative number
  wrong_type,
};

/// Rounds towards minus infinity. @pre b != 0, not (lowest / -1)
inline std::int64_t floor_divide(std::int64_t a, std::int64_t b) {
  const std::int64_t quotient = a / b;
  return quotient - ((a % b != 0 && (a < 0) != (b < 0)) ? 1 : 0);
}

/// Sign of the divisor. @pre b != 0, b != -1 or a not the lowest
inline std::int64_t modulo(std::int64_t a, std::int64_t b) {
  const std::int64_t rest = a % b;
  return rest + ((rest != 0 && (rest < 0) != (b < 0)) ? b : 0);
}

/// @pre b != 0
inline double modulo(double a, double b) {
  // fmod is slow and whole numbers, the usual case after an exact `/`, do not need it.
  if (std::abs(a) < 0x1p53 && std::abs(b) < 0x1p53) {
    const auto i = static_cast<std::int64_t>(a);
    const auto j = static_cast<std::int64_t>(b);
    if (static_cast<double>(i) == a && static_cast<double>(j) == b)
      return static_cast<double>(modulo(i, j));
  }
  const double rest = std::fmod(a, b);
  return rest + ((rest != 0 && (rest < 0) != (b < 0)) ? b : 0);
}

/// As CPython's float_floor_div. @pre b != 0
inline double floor_divide(double a, double b) {
  const double rest = std::fmod(a, b);
  double quotient = (a - rest) / b;
  if (rest != 0 && (rest < 0) != (b < 0))
    quotient -= 1;
  const double whole = std::floor(quotient);
  return quotient - whole > 0.5 ? whole + 1 : whole;
}

/// False on overflow. @pre exponent >= 0
bool integer_power(std::int64_t base, std::int64_t exponent, std::int64_t& result);

/// The half goes to the even neighbour, as Python's round().
double round_to_even(double value);

/// + - * // % ** on integers. @pre of a power: b >= 0, else it is one of reals
template <Operator op>
inline Fault arithmetic(std::int64_t a, std::int64_t b, std::int64_t& result) {
  bool fits = true;
  if constexpr (op == Operator::add) {
    fits = !__builtin_add_overflow(a, b, &result);
  } else if constexpr (op == Operator::subtract) {
    fits = !__builtin_sub_overflow(a, b, &result);
  } else if constexpr (op == Operator::multiply) {
    fits = !__builtin_mul_overflow(a, b, &result);
  } else if constexpr (op == Operator::power) {
    fits = integer_power(a, b, result);
  } else {
    static_assert(op == Operator::floor_divide || op == Operator::modulo);
    if (b == 0)
      return Fault::division_by_zero;
    if constexpr (op == Operator::modulo)
      result = b == -1 ? 0 : modulo(a, b);
    else if (b == -1) // the lowest integer has no positive twin
      fits = !__builtin_sub_overflow(std::int64_t{0}, a, &result);
    else
      result = floor_divide(a, b);
  }
  return fits ? Fault::none : Fault::overflow;
}

/// + - * / // % ** on reals. As in Python only a power has limits; the rest may be infinite.
template <Operator op>
inline Fault arithmetic(double a, double b, double& result) {
  if constexpr (op == Operator::add) {
    result = a + b;
  } else if constexpr (op == Operator::subtract) {
    result = a - b;
  } else if constexpr (op == Operator::multiply) {
    result = a * b;
  } else if constexpr (op == Operator::power) {
    if (a == 0 && b < 0 && std::isfinite(b))
      return Fault::division_by_zero;
    if (a < 0 && std::isfinite(a) && std::floor(b) != b)
      return Fault::domain;
    result = std::pow(a, b);
    if (std::isinf(result) && std::isfinite(a) && std::isfinite(b))
      return Fault::too_large;
  } else {
    static_assert(op == Operator::divide || op == Operator::floor_divide || op == Operator::modulo);
    if (b == 0)
      return Fault::division_by_zero;
    if constexpr (op == Operator::divide)
      result = a / b;
    else
      result = op == Operator::modulo ? modulo(a, b) : floor_divide(a, b);
  }
  return Fault::none;
}

/// ceil, floor, round, int: a real to an integer.
template <Function function>
inline Fault whole(double a, std::int64_t& result) {
  const double number = function == Function::ceil    ? std::ceil(a)
                        : function == Function::floor ? std::floor(a)
                        : function == Function::round ? round_to_even(a)
                                                      : std::trunc(a);
  if (!(number >= -0x1p63 && number < 0x1p63))
    return Fault::overflow;
  result = static_cast<std::int64_t>(number);
  return Fault::none;
}

inline Fault binary_logarithm(double a, double& result) {
  if (a <= 0)
    return Fault::domain;
  result = std::log2(a);
  return Fault::none;
}

/// Of equals, the first. min and max alike.
template <class N>
inline N extreme(bool greatest, N a, N b) {
  return (greatest ? b > a : b < a) ? b : a;
}

/// + - * / // % ** on operands.
Fault arithmetic(Operator op, const Operand& a, const Operand& b, Operand& result);
/// - + on an operand.
Fault arithmetic(Operator op, const Operand& a, Operand& result);
/// The functions of one argument.
Fault arithmetic(Function function, const Operand& a, Operand& result);
/// == != < <= > >= ; ordering a string and a number is a wrong type.
Fault compare(Operator op, const Operand& a, const Operand& b, bool& result);

} // namespace gridsmith::detail
