// SPDX-License-Identifier: Apache-2.0
// Arithmetic of C++ with values that a definition has names for.
#pragma once

#include "gridsmith/kernels/host_code/polynomial.hpp"
#include "gridsmith/kernels/syntax/tokens.hpp"

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace gridsmith {

struct HostValue {
  double number = 0;
  bool whole = true;             ///< of integers, whose division rounds down
  bool single = false;           ///< a float: what is made of such alone is rounded to one
  bool named = true;             ///< a name is in it
  std::optional<Polynomial> sum; ///< of names and whole numbers, where it is one
  std::string written;           ///< else: "n // 2"
  int binds = 0;                 ///< of that: 0 a name or in brackets, 1 a product, 2 a sum
  double added = 0;              ///< of a sum: the numbers behind its first term
  bool by_block = false;         ///< something in it is divided by the block
  bool by_root = false;          ///< sqrt() of names or its like is in it: no size is written so

  /// As an expression of a definition.
  std::string text() const { return sum ? sum->text() : written; }
};

/// Nothing where it is too large to be exact, here and below.
std::optional<HostValue> of_number(double number, bool whole, bool single = false);

/// @param sign of expressions: + - * / %, and "//" of whole numbers
std::optional<HostValue> combined(const HostValue& a, std::string_view sign, const HostValue& b);

/// What C++ rounds towards zero is the same only where nothing is negative.
/// @param sign '/' or '%' @param block as of HostValues::value()
std::optional<HostValue> divided(const HostValue& a, char sign, const HostValue& b,
                                 const std::optional<HostValue>& block);

/// `divUp(n, 256)`
std::optional<HostValue> rounded_up(const HostValue& a, const HostValue& b,
                                    const std::optional<HostValue>& block);

std::optional<HostValue> cast(std::optional<HostValue> of, std::span<const Token> type);

/// `ceil(n / 4)`
std::optional<HostValue> called(std::string_view function, const HostValue& of, double number);

/// `sqrtf(x)`, `pow(2.0, 3)`, `min(n, 256)`, as float or as double; of names those that expressions have.
std::optional<HostValue> called(std::string_view function, std::span<const HostValue> of);

/// "const", "int", "float4"
bool is_type_word(std::string_view word);

bool is_comparison(std::string_view sign);
bool holds(double a, std::string_view sign, double b);

} // namespace gridsmith
