#include "gridsmith/search/expression/arithmetic.hpp"

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

template <class N>
Fault on(Operator op, N a, N b, Value& value) {
  N& result = value.emplace<N>();
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
  case Operator::power:
    return arithmetic<Operator::power>(a, b, result);
  default:
    return arithmetic<Operator::divide>(static_cast<double>(a), static_cast<double>(b),
                                        value.emplace<double>());
  }
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

Fault arithmetic(Operator op, const Value& a, const Value& b, Value& result) {
  if (is_text(a) || is_text(b)) {
    if (op != Operator::add || !is_text(a) || !is_text(b))
      return Fault::wrong_type;
    result = std::get<std::string>(a) + std::get<std::string>(b);
    return Fault::none;
  }
  const auto i = as_integer(a);
  const auto j = as_integer(b);
  if (i && j && !(op == Operator::power && *j < 0))
    return on(op, *i, *j, result);
  return on(op, to_number(a), to_number(b), result);
}

Fault arithmetic(Operator op, const Value& a, Value& result) {
  if (is_text(a))
    return Fault::wrong_type;
  if (const auto i = as_integer(a))
    return on(op == Operator::negate ? Operator::subtract : Operator::add, std::int64_t{0}, *i,
              result);
  const double number = std::get<double>(a);
  result = op == Operator::negate ? -number : number;
  return Fault::none;
}

Fault arithmetic(Function function, const Value& a, Value& result) {
  if (is_text(a))
    return Fault::wrong_type;
  const auto integer = as_integer(a);
  const double number = to_number(a);
  if (function == Function::log2)
    return binary_logarithm(number, result.emplace<double>());
  if (function == Function::abs && !integer) {
    result = std::abs(number);
    return Fault::none;
  }
  if (integer) {
    const bool negative = function == Function::abs && *integer < 0;
    return arithmetic(negative ? Operator::negate : Operator::plus, a, result);
  }
  std::int64_t& whole_number = result.emplace<std::int64_t>();
  switch (function) {
  case Function::ceil:
    return whole<Function::ceil>(number, whole_number);
  case Function::floor:
    return whole<Function::floor>(number, whole_number);
  case Function::round:
    return whole<Function::round>(number, whole_number);
  default:
    return whole<Function::integer>(number, whole_number);
  }
}

Fault compare(Operator op, const Value& a, const Value& b, bool& result) {
  if (is_text(a) != is_text(b)) {
    result = op == Operator::not_equal;
    const bool ordering = op != Operator::equal && op != Operator::not_equal;
    return ordering ? Fault::wrong_type : Fault::none;
  }
  result = is_text(a) ? holds(op, std::get<std::string>(a), std::get<std::string>(b))
                      : holds(op, exact(a), exact(b));
  return Fault::none;
}

} // namespace gridsmith::detail
