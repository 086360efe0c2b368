// Python's arithmetic on values, and the same on bare numbers for compiled constraints.
#pragma once

#include "gridsmith/search/expression/tree.hpp"
#include "gridsmith/base/value.hpp"

#include <cmath>
#include <cstdint>

namespace gridsmith::detail {

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
  const double quotient = (a - modulo(a, b)) / b;
  const double whole = std::floor(quotient);
  return quotient - whole > 0.5 ? whole + 1 : whole;
}

/// False on overflow. @pre exponent >= 0
bool integer_power(std::int64_t base, std::int64_t exponent, std::int64_t& result);

/// The half goes to the even neighbour, as Python's round().
double round_to_even(double value);

/// What went wrong in arithmetic; the caller adds where.
enum class Trouble : std::uint8_t { none, division_by_zero, overflow, undefined, wrong_type };

/// + - * / // % ** on values.
Trouble arithmetic(Operator op, const Value& a, const Value& b, Value& result);
/// - + on a value.
Trouble arithmetic(Operator op, const Value& a, Value& result);
/// The functions of one argument.
Trouble arithmetic(Function function, const Value& a, Value& result);
/// == != < <= > >= ; ordering a string and a number is a wrong type.
Trouble compare(Operator op, const Value& a, const Value& b, bool& result);

} // namespace gridsmith::detail
