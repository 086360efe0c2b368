// SPDX-License-Identifier: Apache-2.0
// What the evaluator of trees computes with: a value, or an integer that no value holds. Only
// this folder and search/ use it.
#pragma once

#include "gridsmith/base/expression/big_integer.hpp"
#include "gridsmith/base/value.hpp"

#include <cstdint>
#include <string>
#include <variant>

namespace gridsmith::detail {

/// A BigInteger only where 64 bits do not hold the number.
using Operand = std::variant<bool, std::int64_t, double, std::string, BigInteger>;

inline Operand to_operand(const Value& value) {
  return std::visit([](const auto& held) { return Operand(held); }, value);
}

/// Python's truth of an operand: non-zero number, non-empty string.
bool is_true(const Operand& operand);

} // namespace gridsmith::detail
