#include "gridsmith/search/expression/arithmetic.hpp"

#include <limits>
#include <optional>

namespace gridsmith::detail {
namespace {

/// The integer a value is; True is 1.
std::optional<std::int64_t> as_integer(const Value& value) {
  if (const auto* i = std::get_if<std::int64_t>(&value))
    return *i;
  if (const auto* b = std::get_if<bool>(&value))
    return *b ? 1 : 0;
  return std::nullopt;
}

bool is_text(const Value& value) {
  return std::holds_alternative<std::string>(value);
}

Trouble keep(double number, Value& result) {
  if (!std::isfinite(number))
    return Trouble::overflow;
  result = number;
  return Trouble::none;
}

/// A real that a function turns into an integer.
Trouble keep_whole(double number, Value& result) {
  if (!(number >= -0x1p63 && number < 0x1p63))
    return Trouble::overflow;
  result = static_cast<std::int64_t>(number);
  return Trouble::none;
}

Trouble on_reals(Operator op, double a, double b, Value& result) {
  const bool divides =
      op == Operator::divide || op == Operator::floor_divide || op == Operator::modulo;
  if (b == 0 && divides)
    return Trouble::division_by_zero;
  switch (op) {
  case Operator::add:
    return keep(a + b, result);
  case Operator::subtract:
    return keep(a - b, result);
  case Operator::multiply:
    return keep(a * b, result);
  case Operator::divide:
    return keep(a / b, result);
  case Operator::floor_divide:
    return keep(floor_divide(a, b), result);
  case Operator::modulo:
    return keep(modulo(a, b), result);
  case Operator::power:
    if (a == 0 && b < 0)
      return Trouble::division_by_zero;
    if (a < 0 && std::floor(b) != b)
      return Trouble::undefined;
    return keep(std::pow(a, b), result);
  default:
    return Trouble::wrong_type;
  }
}

Trouble on_integers(Operator op, std::int64_t a, std::int64_t b, Value& result) {
  std::int64_t out = 0;
  bool overflow = false;
  switch (op) {
  case Operator::add:
    overflow = __builtin_add_overflow(a, b, &out);
    break;
  case Operator::subtract:
    overflow = __builtin_sub_overflow(a, b, &out);
    break;
  case Operator::multiply:
    overflow = __builtin_mul_overflow(a, b, &out);
    break;
  case Operator::floor_divide:
  case Operator::modulo:
    if (b == 0)
      return Trouble::division_by_zero;
    if (b == -1) { // the lowest integer has no positive twin
      overflow = op == Operator::floor_divide && __builtin_sub_overflow(std::int64_t{0}, a, &out);
      break;
    }
    out = op == Operator::modulo ? modulo(a, b) : floor_divide(a, b);
    break;
  case Operator::power:
    if (b < 0)
      return on_reals(op, static_cast<double>(a), static_cast<double>(b), result);
    overflow = !integer_power(a, b, out);
    break;
  default:
    return on_reals(op, static_cast<double>(a), static_cast<double>(b), result);
  }
  if (overflow)
    return Trouble::overflow;
  result = out;
  return Trouble::none;
}

template <class T>
bool holds(Operator op, const T& a, const T& b) {
  switch (op) {
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

/// 64 bits of mantissa hold every integer exactly beside every double.
long double exact(const Value& value) {
  const auto integer = as_integer(value);
  return integer ? static_cast<long double>(*integer)
                 : static_cast<long double>(std::get<double>(value));
}

} // namespace

bool integer_power(std::int64_t base, std::int64_t exponent, std::int64_t& result) {
  result = 1;
  if (base == 1 || exponent == 0)
    return true;
  if (base == 0 || base == -1) {
    result = base == 0 ? 0 : (exponent % 2 ? -1 : 1);
    return true;
  }
  if (exponent > 63) // |base| >= 2
    return false;
  for (std::int64_t i = 0; i < exponent; ++i)
    if (__builtin_mul_overflow(result, base, &result))
      return false;
  return true;
}

double round_to_even(double value) {
  const double whole = std::floor(value);
  const double rest = value - whole;
  if (rest != 0.5)
    return rest < 0.5 ? whole : whole + 1;
  return std::fmod(whole, 2) == 0 ? whole : whole + 1;
}

Trouble arithmetic(Operator op, const Value& a, const Value& b, Value& result) {
  if (is_text(a) || is_text(b)) {
    if (op != Operator::add || !is_text(a) || !is_text(b))
      return Trouble::wrong_type;
    result = std::get<std::string>(a) + std::get<std::string>(b);
    return Trouble::none;
  }
  const auto i = as_integer(a);
  const auto j = as_integer(b);
  return i && j ? on_integers(op, *i, *j, result)
                : on_reals(op, to_number(a), to_number(b), result);
}

Trouble arithmetic(Operator op, const Value& a, Value& result) {
  if (is_text(a))
    return Trouble::wrong_type;
  if (const auto i = as_integer(a))
    return on_integers(op == Operator::negate ? Operator::subtract : Operator::add, 0, *i, result);
  const double number = std::get<double>(a);
  result = op == Operator::negate ? -number : number;
  return Trouble::none;
}

Trouble arithmetic(Function function, const Value& a, Value& result) {
  if (is_text(a))
    return Trouble::wrong_type;
  const auto integer = as_integer(a);
  const double number = to_number(a);
  if (function == Function::log2)
    return number > 0 ? keep(std::log2(number), result) : Trouble::undefined;
  if (function == Function::abs && !integer) {
    result = std::abs(number);
    return Trouble::none;
  }
  if (integer) {
    const bool negative = function == Function::abs && *integer < 0;
    return on_integers(negative ? Operator::subtract : Operator::add, 0, *integer, result);
  }
  switch (function) {
  case Function::ceil:
    return keep_whole(std::ceil(number), result);
  case Function::floor:
    return keep_whole(std::floor(number), result);
  case Function::round:
    return keep_whole(round_to_even(number), result);
  default:
    return keep_whole(std::trunc(number), result);
  }
}

Trouble compare(Operator op, const Value& a, const Value& b, bool& result) {
  if (is_text(a) != is_text(b)) {
    result = op == Operator::not_equal;
    const bool ordering = op != Operator::equal && op != Operator::not_equal;
    return ordering ? Trouble::wrong_type : Trouble::none;
  }
  result = is_text(a) ? holds(op, std::get<std::string>(a), std::get<std::string>(b))
                      : holds(op, exact(a), exact(b));
  return Trouble::none;
}

} // namespace gridsmith::detail
