// SPDX-License-Identifier: Apache-2.0
// The operators and functions of expressions. Host and device share this text.
#pragma once

#include <cstdint>

namespace gridsmith {

enum class Operator : std::uint8_t {
  none,
  negate,
  plus,
  logical_not,
  add,
  subtract,
  multiply,
  divide,
  floor_divide,
  modulo,
  power,
  equal,
  not_equal,
  less,
  less_equal,
  greater,
  greater_equal,
  in,
  not_in,
};

/// What a text may have in addition to what every expression has: functions of reals (sqrt() to tanh()); name[expression]
/// and sum() as well (search/formula).
enum class Syntax : std::uint8_t { plain, reals, formula };

enum class Function : std::uint8_t {
  none,
  min,
  max,
  abs,
  ceil,
  floor,
  log2,
  round,
  integer,
  sqrt, // from here on: Syntax::reals
  exp,
  log,
  sin,
  cos,
  tan,
  tanh,
  sum, // Syntax::formula
};

/// Whatever the operand is.
constexpr bool gives_real(Function function) {
  return function == Function::log2 || (function > Function::integer && function < Function::sum);
}

} // namespace gridsmith
