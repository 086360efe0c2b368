// SPDX-License-Identifier: Apache-2.0
// The operations that constraints are compiled to, and what they give for machine words.
#pragma once

#include "gridsmith/base/expression/arithmetic.hpp"

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <utility>

namespace gridsmith::detail {

/// One machine word: an integer, or the bits of a real.
using Word = std::int64_t;

constexpr Word to_word(double real) {
  return std::bit_cast<Word>(real);
}

constexpr double to_real(Word word) {
  return std::bit_cast<double>(word);
}

/// What leaves 64 bits stands at their end: it is larger, or less, than all that a comparison may
/// meet (TermTable sees to that), and stays so in sums of one sign and in products.
inline constexpr Word farthest = std::numeric_limits<Word>::max();

/// An undefined result travels as a value, so that `b == 0 or a % b == 0` may compute both sides
/// first: the lowest integer, NaN among reals. No other term can have these values.
inline constexpr Word undefined = std::numeric_limits<Word>::min();
inline constexpr Word undefined_real = to_word(std::numeric_limits<double>::quiet_NaN());

enum class TermOp : std::uint8_t {
  constant,
  variable,
  opaque, // evaluated from its tree: what the terms cannot express
  sum,    // any number of integers, without overflow
  product,
  add, // the same, no farther than farthest
  multiply,
  subtract, // two integers, no farther than farthest
  floor_divide,
  modulo,
  power, // no farther than farthest
  absolute,
  least,
  greatest,
  equal,
  not_equal,
  less,
  less_equal,
  logical_not,
  logical_and,
  logical_or,
  select,
  to_real, // reals from here on
  real_add,
  real_multiply,
  real_subtract,
  real_floor_divide,
  real_modulo,
  real_power,
  real_absolute,
  real_least,
  real_greatest,
  real_divide,
  log2,
  real_equal, // integers from here on, of reals
  real_not_equal,
  real_less,
  real_less_equal,
  floor,
  ceil,
  round,
  truncate,
};

constexpr bool takes_reals(TermOp op) {
  return op >= TermOp::real_add;
}

constexpr bool gives_real(TermOp op) {
  return op >= TermOp::to_real && op <= TermOp::log2;
}

/// add … greatest and equal … less_equal, of reals.
constexpr TermOp on_reals(TermOp op) {
  const auto [from, to] = op < TermOp::equal ? std::pair{TermOp::add, TermOp::real_add}
                                             : std::pair{TermOp::equal, TermOp::real_equal};
  return static_cast<TermOp>(static_cast<int>(op) - static_cast<int>(from) + static_cast<int>(to));
}

static_assert(on_reals(TermOp::greatest) == TermOp::real_greatest);
static_assert(on_reals(TermOp::less_equal) == TermOp::real_less_equal);

constexpr bool is_equality(TermOp op) {
  return op == TermOp::equal || op == TermOp::real_equal;
}

/// < but not <=
constexpr bool is_strict(TermOp op) {
  return op == TermOp::less || op == TermOp::real_less;
}

constexpr bool is_order(TermOp op) {
  return is_strict(op) || op == TermOp::less_equal || op == TermOp::real_less_equal;
}

/// Any number of operands, in any order.
constexpr bool gathers(TermOp op) {
  return op <= TermOp::multiply && op >= TermOp::sum;
}

/// floor_divide and modulo on words. @tparam checked false: no operand and no result is undefined
template <Operator op, bool checked>
inline Word integer_result(Word a, Word b) {
  Word result = 0;
  const Fault fault = arithmetic<op>(a, b, result);
  return !checked || fault == Fault::none ? result : undefined;
}

template <Operator op, bool checked>
inline Word real_result(double a, double b) {
  double result = 0;
  const Fault fault = arithmetic<op>(a, b, result);
  return !checked || fault == Fault::none ? to_word(result) : undefined_real;
}

/// @pre 64 bits hold it, or it is undefined
template <Function function>
inline Word whole_result(double a) {
  Word result = 0;
  return whole<function>(a, result) == Fault::none ? result : undefined;
}

inline Word logarithm_result(double a) {
  double result = 0;
  return real_function(Function::log2, a, result) == Fault::none ? to_word(result) : undefined_real;
}

template <bool checked>
inline Word compute_real(TermOp op, double a, double b) {
  switch (op) {
  case TermOp::real_add:
    return real_result<Operator::add, checked>(a, b);
  case TermOp::real_subtract:
    return real_result<Operator::subtract, checked>(a, b);
  case TermOp::real_multiply:
    return real_result<Operator::multiply, checked>(a, b);
  case TermOp::real_divide:
    return real_result<Operator::divide, checked>(a, b);
  case TermOp::real_floor_divide:
    return real_result<Operator::floor_divide, checked>(a, b);
  case TermOp::real_modulo:
    return real_result<Operator::modulo, checked>(a, b);
  case TermOp::real_power:
    return real_result<Operator::power, checked>(a, b);
  case TermOp::real_absolute:
    return to_word(std::abs(a));
  case TermOp::real_least:
    return to_word(extreme(false, a, b));
  case TermOp::real_greatest:
    return to_word(extreme(true, a, b));
  case TermOp::log2:
    return logarithm_result(a);
  case TermOp::real_equal:
    return a == b;
  case TermOp::real_not_equal:
    return a != b;
  case TermOp::real_less:
    return a < b;
  case TermOp::real_less_equal:
    return a <= b;
  case TermOp::floor:
    return whole_result<Function::floor>(a);
  case TermOp::ceil:
    return whole_result<Function::ceil>(a);
  case TermOp::round:
    return whole_result<Function::round>(a);
  default:
    return whole_result<Function::integer>(a);
  }
}

/// add, multiply, subtract, power. Rare, so that they do not stand in the way of the others.
Word compute_far(TermOp op, Word a, Word b);

template <bool checked>
inline Word compute(TermOp op, Word a, Word b, Word c) {
  switch (op) {
  case TermOp::sum:
    return a + b;
  case TermOp::product:
    return a * b;
  case TermOp::add:
  case TermOp::subtract:
  case TermOp::multiply:
  case TermOp::power:
    return compute_far(op, a, b);
  case TermOp::floor_divide:
    return integer_result<Operator::floor_divide, checked>(a, b);
  case TermOp::modulo:
    return integer_result<Operator::modulo, checked>(a, b);
  case TermOp::absolute:
    return a < 0 ? -a : a;
  case TermOp::least:
    return extreme(false, a, b);
  case TermOp::greatest:
    return extreme(true, a, b);
  case TermOp::equal:
    return a == b;
  case TermOp::not_equal:
    return a != b;
  case TermOp::less:
    return a < b;
  case TermOp::less_equal:
    return a <= b;
  case TermOp::logical_not:
    return a == 0;
  case TermOp::logical_and:
    return a == 0 || (checked && a == undefined) ? a : b;
  case TermOp::logical_or:
    return a != 0 ? a : b; // undefined is not 0 either
  case TermOp::select:
    return checked && a == undefined ? a : a != 0 ? b : c;
  case TermOp::to_real:
    return to_word(static_cast<double>(a));
  default:
    return compute_real<checked>(op, to_real(a), to_real(b));
  }
}

/// What an operation gives. Undefined operands give an undefined result (but see logical_and,
/// logical_or and select).
Word apply(TermOp op, Word a, Word b, Word c);

/// The same, in line. @pre no operand and no result is undefined
inline Word apply_defined(TermOp op, Word a, Word b, Word c) {
  return compute<false>(op, a, b, c);
}

} // namespace gridsmith::detail
