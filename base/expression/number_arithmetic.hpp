// SPDX-License-Identifier: Apache-2.0
// Python's arithmetic on bare numbers. Host and device share this text, so nothing here is the
// standard library's but what is rounded right everywhere: fmod, floor, ceil, trunc, fabs, sqrt. What is long is not inlined, so
// that the device's code is compiled soon. What has no result leaves one all the same, for those who go on: integers wrap, a
// division of integers by 0 gives 0, reals are infinite or NaN, what no integer holds is the nearest.
#pragma once

#include "gridsmith/base/expression/operators.hpp"
#include "gridsmith/base/expression/reals.hpp"

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

inline bool is_finite(double a) {
  return a - a == 0;
}

// The compiler's own checks of overflow are not the device's.

/// @return whether 64 bits hold it; `result` wraps
inline bool add_words(std::int64_t a, std::int64_t b, std::int64_t& result) {
  result = static_cast<std::int64_t>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
  return ((a ^ result) & (b ^ result)) >= 0;
}

inline bool subtract_words(std::int64_t a, std::int64_t b, std::int64_t& result) {
  result = static_cast<std::int64_t>(static_cast<std::uint64_t>(a) - static_cast<std::uint64_t>(b));
  return ((a ^ b) & (a ^ result)) >= 0;
}

inline bool multiply_words(std::int64_t a, std::int64_t b, std::int64_t& result) {
  result = static_cast<std::int64_t>(static_cast<std::uint64_t>(a) * static_cast<std::uint64_t>(b));
  if (a == static_cast<std::int32_t>(a) && b == static_cast<std::int32_t>(b))
    return true; // nearly always: a division takes longer
  if (a == 0 || b == 0)
    return true;
  if (a == -1 || b == -1) // the lowest integer has no positive counterpart
    return result == 0 || (result < 0) != ((a < 0) == (b < 0));
  return result / b == a;
}

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

/// NaN where b is 0.
__attribute__((noinline)) inline double modulo(double a, double b) {
  // fmod is slow and whole numbers, the common case after an exact `/`, do not need it.
  if (::fabs(a) < 0x1p53 && ::fabs(b) < 0x1p53 && b != 0) {
    const auto i = static_cast<std::int64_t>(a);
    const auto j = static_cast<std::int64_t>(b);
    if (static_cast<double>(i) == a && static_cast<double>(j) == b)
      return static_cast<double>(modulo(i, j));
  }
  const double rest = ::fmod(a, b);
  return rest + ((rest != 0 && (rest < 0) != (b < 0)) ? b : 0);
}

/// As CPython's float_floor_div. NaN where b is 0.
__attribute__((noinline)) inline double floor_divide(double a, double b) {
  const double rest = ::fmod(a, b);
  double quotient = (a - rest) / b;
  if (rest != 0 && (rest < 0) != (b < 0))
    quotient -= 1;
  const double whole = ::floor(quotient);
  return quotient - whole > 0.5 ? whole + 1 : whole;
}

/// @return whether 64 bits hold it; `result` wraps up to a power of 64. @pre exponent >= 0
__attribute__((noinline)) inline bool integer_power(std::int64_t base, std::int64_t exponent,
                                                    std::int64_t& result) {
  result = 1;
  if (base == 1 || exponent == 0)
    return true;
  if (base == 0 || base == -1) {
    result = base == 0 ? 0 : (exponent % 2 ? -1 : 1);
    return true;
  }
  if (exponent > 64) // |base| >= 2
    return false;
  bool fits = true;
  for (std::int64_t i = 0; i < exponent; ++i)
    fits = multiply_words(result, base, result) && fits;
  return fits;
}

/// The half goes to the even neighbour, as Python's round().
inline double round_to_even(double value) {
  const double whole = ::floor(value);
  const double rest = value - whole;
  if (rest != 0.5)
    return rest < 0.5 ? whole : whole + 1;
  return ::fmod(whole, 2.0) == 0 ? whole : whole + 1;
}

/// + - * // % ** on integers. @pre of a power: b >= 0, else it is one of reals
template <Operator op>
inline Fault arithmetic(std::int64_t a, std::int64_t b, std::int64_t& result) {
  bool fits = true;
  if constexpr (op == Operator::add) {
    fits = add_words(a, b, result);
  } else if constexpr (op == Operator::subtract) {
    fits = subtract_words(a, b, result);
  } else if constexpr (op == Operator::multiply) {
    fits = multiply_words(a, b, result);
  } else if constexpr (op == Operator::power) {
    fits = integer_power(a, b, result);
  } else {
    static_assert(op == Operator::floor_divide || op == Operator::modulo);
    result = 0;
    if (b == 0)
      return Fault::division_by_zero;
    if constexpr (op == Operator::modulo)
      result = b == -1 ? 0 : modulo(a, b);
    else if (b == -1)
      fits = subtract_words(0, a, result);
    else
      result = floor_divide(a, b);
  }
  return fits ? Fault::none : Fault::overflow;
}

/// ** on reals.
__attribute__((noinline)) inline Fault real_power(double a, double b, double& result) {
  if (a == 0 && b < 0 && is_finite(b))
    return Fault::division_by_zero;
  if (a < 0 && is_finite(a) && ::floor(b) != b)
    return Fault::domain;
  result = power_of(a, b);
  return !is_finite(result) && result == result && is_finite(a) && is_finite(b) ? Fault::too_large
                                                                                : Fault::none;
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
    return real_power(a, b, result);
  } else {
    static_assert(op == Operator::divide || op == Operator::floor_divide || op == Operator::modulo);
    if constexpr (op == Operator::divide)
      result = a / b;
    else
      result = op == Operator::modulo ? modulo(a, b) : floor_divide(a, b);
    return b == 0 ? Fault::division_by_zero : Fault::none;
  }
  return Fault::none;
}

/// All of them but the division of reals.
template <class N>
inline Fault arithmetic(Operator op, N a, N b, N& result) {
  switch (op) {
  case Operator::add:
    return arithmetic<Operator::add>(a, b, result);
  case Operator::subtract:
    return arithmetic<Operator::subtract>(a, b, result);
  case Operator::multiply:
    return arithmetic<Operator::multiply>(a, b, result);
  case Operator::floor_divide:
    return arithmetic<Operator::floor_divide>(a, b, result);
  case Operator::modulo:
    return arithmetic<Operator::modulo>(a, b, result);
  default:
    return arithmetic<Operator::power>(a, b, result);
  }
}

template <class N>
inline bool stands(Operator relation, const N& a, const N& b) {
  switch (relation) {
  case Operator::equal:
    return a == b;
  case Operator::not_equal:
    return a != b;
  case Operator::less:
    return a < b;
  case Operator::less_equal:
    return a <= b;
  case Operator::greater:
    return a > b;
  default:
    return a >= b;
  }
}

/// A real that is whole to an integer, the nearest where 64 bits do not hold it.
inline Fault to_integer(double number, std::int64_t& result) {
  constexpr std::int64_t most = 0x7fffffffffffffff;
  const bool held = number >= -0x1p63 && number < 0x1p63;
  result = held          ? static_cast<std::int64_t>(number)
           : number >= 0 ? most
           : number < 0  ? -most - 1
                         : 0; // NaN
  return held ? Fault::none : Fault::overflow;
}

/// ceil, floor, round, int: a real to an integer.
inline Fault whole(Function function, double a, std::int64_t& result) {
  return to_integer(function == Function::ceil    ? ::ceil(a)
                    : function == Function::floor ? ::floor(a)
                    : function == Function::round ? round_to_even(a)
                                                  : ::trunc(a),
                    result);
}

template <Function function>
inline Fault whole(double a, std::int64_t& result) {
  return whole(function, a, result);
}

/// log2, and sqrt to tanh.
__attribute__((noinline)) inline Fault real_function(Function function, double a, double& result) {
  const bool turns =
      function == Function::sin || function == Function::cos || function == Function::tan;
  switch (function) {
  case Function::sqrt:
    result = ::sqrt(a);
    return a < 0 ? Fault::domain : Fault::none;
  case Function::log:
  case Function::log2:
    result = function == Function::log ? natural_logarithm(a) : logarithm_to_2(a);
    return a <= 0 ? Fault::domain : Fault::none;
  case Function::exp:
    result = power_of_e(a);
    return is_finite(a) && !is_finite(result) ? Fault::too_large : Fault::none;
  case Function::tanh:
    result = hyperbolic_tangent_of(a);
    return Fault::none;
  default:
    result = sine_of(a, function == Function::cos ? 1 : 0);
    if (function == Function::tan)
      result /= sine_of(a, 1);
    return turns && is_finite(a) && ::fabs(a) > largest_angle ? Fault::too_large : Fault::none;
  }
}

/// Of equals, the first. min and max alike.
template <class N>
inline N extreme(bool greatest, N a, N b) {
  return (greatest ? b > a : b < a) ? b : a;
}

} // namespace gridsmith::detail
