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
  sum, // from here on in formulas only
  sqrt,
  exp,
};

} // namespace gridsmith
