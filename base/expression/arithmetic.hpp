// SPDX-License-Identifier: Apache-2.0
// Python's arithmetic, written once: on bare numbers, in line for compiled constraints and formulas
// (number_arithmetic.hpp), and here on operands for the evaluator of trees.
#pragma once

#include "gridsmith/base/expression/number_arithmetic.hpp"
#include "gridsmith/base/expression/operand.hpp"
#include "gridsmith/base/expression/tree.hpp"

namespace gridsmith::detail {

/// + - * / // % ** on operands.
Fault arithmetic(Operator op, const Operand& a, const Operand& b, Operand& result);
/// - + on an operand.
Fault arithmetic(Operator op, const Operand& a, Operand& result);
/// The functions of one argument.
Fault arithmetic(Function function, const Operand& a, Operand& result);
/// == != < <= > >= ; ordering a string and a number is a wrong type.
Fault compare(Operator op, const Operand& a, const Operand& b, bool& result);

} // namespace gridsmith::detail
