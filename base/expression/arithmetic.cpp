// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/base/expression/arithmetic.hpp"

#include <optional>

namespace gridsmith::detail {
namespace {

constexpr std::int64_t exact_reals = std::int64_t{1} << 53; // integers up to here are reals, too

/// The integer an operand is, where 64 bits hold it; True is 1.
std::optional<std::int64_t> as_word(const Operand& operand) {
  if (const auto* i = std::get_if<std::int64_t>(&operand))
    return *i;
  if (const auto* b = std::get_if<bool>(&operand))
    return *b ? 1 : 0;
  return std::nullopt;
}

bool is_text(const Operand& operand) {
  return std::holds_alternative<std::string>(operand);
}

/// @pre an integer
BigInteger as_big(const Operand& operand) {
  const auto* big = std::get_if<BigInteger>(&operand);
  return big ? *big : BigInteger(*as_word(operand));
}

/// As Python converts: to the nearest. Infinite for an integer that no real is near. @pre a number
double as_real(const Operand& operand) {
  if (const auto* real = std::get_if<double>(&operand))
    return *real;
  const auto* big = std::get_if<BigInteger>(&operand);
  return big ? big->real() : static_cast<double>(*as_word(operand));
}

Operand shortest(const BigInteger& number) {
  if (const auto word = number.word())
    return *word;
  return number;
}

Fault keep(const std::optional<BigInteger>& number, Operand& result) {
  if (number)
    result = shortest(*number);
  return number ? Fault::none : Fault::too_large;
}

Fault quotient(double real, Operand& result) {
  result = real;
  return std::isfinite(real) ? Fault::none : Fault::too_large;
}

/// @pre of a power: b >= 0
Fault on_big(Operator op, const BigInteger& a, const BigInteger& b, Operand& result) {
  switch (op) {
  case Operator::add:
    return keep(a + b, result);
  case Operator::subtract:
    return keep(a - b, result);
  case Operator::multiply:
    return keep(a * b, result);
  case Operator::power:
    return keep(a.power(b), result);
  default:
    break;
  }
  if (b.sign() == 0)
    return Fault::division_by_zero;
  if (op == Operator::divide)
    return quotient(a.divide(b), result);
  return keep(op == Operator::modulo ? a.modulo(b) : a.floor_divide(b), result);
}

/// Integers of 64 bits, exact whatever comes out.
Fault on_words(Operator op, std::int64_t a, std::int64_t b, Operand& result) {
  if (op == Operator::divide) {
    const auto is_real = [](std::int64_t i) { return i >= -exact_reals && i <= exact_reals; };
    if (is_real(a) && is_real(b))
      return arithmetic<Operator::divide>(static_cast<double>(a), static_cast<double>(b),
                                          result.emplace<double>());
  } else if (const Fault fault = arithmetic(op, a, b, result.emplace<std::int64_t>());
             fault != Fault::overflow) {
    return fault;
  }
  return on_big(op, BigInteger(a), BigInteger(b), result);
}

Fault on_reals(Operator op, double a, double b, Operand& result) {
  double& real = result.emplace<double>();
  return op == Operator::divide ? arithmetic<Operator::divide>(a, b, real)
                                : arithmetic(op, a, b, real);
}

/// 64 bits of mantissa hold every integer exactly beside every double.
long double exact(const Operand& operand) {
  const auto word = as_word(operand);
  return word ? static_cast<long double>(*word)
              : static_cast<long double>(std::get<double>(operand));
}

/// One of them is no word.
bool big_holds(Operator op, const Operand& a, const Operand& b) {
  const auto* x = std::get_if<double>(&a);
  const auto* y = std::get_if<double>(&b);
  if ((x && std::isnan(*x)) || (y && std::isnan(*y)))
    return op == Operator::not_equal;
  const int order = y   ? as_big(a).compare(*y)
                    : x ? -as_big(b).compare(*x)
                        : as_big(a).compare(as_big(b));
  return stands(op, order, 0);
}

template <Function function>
Fault to_whole(double a, Operand& result) {
  if (std::isnan(a))
    return Fault::domain;
  if (std::isinf(a))
    return Fault::too_large;
  if (whole<function>(a, result.emplace<std::int64_t>()) != Fault::none)
    result = BigInteger(a); // so large that it has no fraction
  return Fault::none;
}

Fault to_whole(Function function, double a, Operand& result) {
  switch (function) {
  case Function::ceil:
    return to_whole<Function::ceil>(a, result);
  case Function::floor:
    return to_whole<Function::floor>(a, result);
  case Function::round:
    return to_whole<Function::round>(a, result);
  default:
    return to_whole<Function::integer>(a, result);
  }
}

} // namespace

bool is_true(const Operand& operand) {
  if (const auto* text = std::get_if<std::string>(&operand))
    return !text->empty();
  return std::holds_alternative<BigInteger>(operand) || as_real(operand) != 0;
}

Fault arithmetic(Operator op, const Operand& a, const Operand& b, Operand& result) {
  if (is_text(a) || is_text(b)) {
    if (op != Operator::add || !is_text(a) || !is_text(b))
      return Fault::wrong_type;
    result = std::get<std::string>(a) + std::get<std::string>(b);
    return Fault::none;
  }
  const bool reals = std::holds_alternative<double>(a) || std::holds_alternative<double>(b);
  const auto i = as_word(a);
  const auto j = as_word(b);
  const bool root = op == Operator::power && !reals && (j ? *j < 0 : as_big(b).sign() < 0);
  if (i && j && !root)
    return on_words(op, *i, *j, result);
  if (!reals && !root)
    return on_big(op, as_big(a), as_big(b), result);
  const double x = as_real(a), y = as_real(b);
  const auto lost = [](const Operand& from, double to) {
    return std::holds_alternative<BigInteger>(from) && std::isinf(to);
  };
  return lost(a, x) || lost(b, y) ? Fault::too_large : on_reals(op, x, y, result);
}

Fault arithmetic(Operator op, const Operand& a, Operand& result) {
  if (is_text(a))
    return Fault::wrong_type;
  if (const auto* real = std::get_if<double>(&a)) {
    result = op == Operator::negate ? -*real : *real;
    return Fault::none;
  }
  return arithmetic(op == Operator::negate ? Operator::subtract : Operator::add, std::int64_t{0}, a,
                    result);
}

Fault arithmetic(Function function, const Operand& a, Operand& result) {
  if (is_text(a))
    return Fault::wrong_type;
  const auto* real = std::get_if<double>(&a);
  const auto* big = std::get_if<BigInteger>(&a);
  if (function == Function::log2 && big && big->sign() > 0) {
    result = big->binary_logarithm();
    return Fault::none;
  }
  if (gives_real(function))
    return real_function(function, as_real(a), result.emplace<double>());
  if (real && function != Function::abs)
    return to_whole(function, *real, result);
  const bool negative = big ? big->sign() < 0 : as_real(a) < 0;
  if (real)
    result = std::abs(*real);
  else
    return arithmetic(negative && function == Function::abs ? Operator::negate : Operator::plus, a,
                      result);
  return Fault::none;
}

Fault compare(Operator op, const Operand& a, const Operand& b, bool& result) {
  if (is_text(a) != is_text(b)) {
    result = op == Operator::not_equal;
    const bool ordering = op != Operator::equal && op != Operator::not_equal;
    return ordering ? Fault::wrong_type : Fault::none;
  }
  if (is_text(a))
    result = stands(op, std::get<std::string>(a), std::get<std::string>(b));
  else if (std::holds_alternative<BigInteger>(a) || std::holds_alternative<BigInteger>(b))
    result = big_holds(op, a, b);
  else
    result = stands(op, exact(a), exact(b));
  return Fault::none;
}

} // namespace gridsmith::detail
