// SPDX-License-Identifier: Apache-2.0
// Parts of programs as words, for messages: the headers that the device shares cannot hold them.
#pragma once

#include "gridsmith/base/words.hpp"
#include "gridsmith/search/formula/formula_program.hpp"

namespace gridsmith {

template <>
struct Words<FormulaAction> {
  static constexpr std::string_view kind = "action of a formula";
  static constexpr std::array<std::string_view, 22> list{
      "begin",           "copy",         "to_real",      "is_zero",
      "is_nonzero",      "negate",       "calculate",    "relate",
      "least",           "greatest",     "function",     "element",
      "element_at_sum",  "stop",         "jump",         "jump_if_zero",
      "jump_if_nonzero", "jump_if_none", "jump_if_done", "advance",
      "require_some",    "constant"};
};

template <>
struct Words<Operator> {
  static constexpr std::string_view kind = "operator";
  static constexpr std::array<std::string_view, 19> list{
      "none",     "negate",        "plus",      "logical_not",  "add",
      "subtract", "multiply",      "divide",    "floor_divide", "modulo",
      "power",    "equal",         "not_equal", "less",         "less_equal",
      "greater",  "greater_equal", "in",        "not_in"};
};

template <>
struct Words<Function> {
  static constexpr std::string_view kind = "function";
  static constexpr std::array<std::string_view, 17> list{
      "none", "min", "max", "abs", "ceil", "floor", "log2", "round", "integer",
      "sqrt", "exp", "log", "sin", "cos",  "tan",   "tanh", "sum"};
};

} // namespace gridsmith
