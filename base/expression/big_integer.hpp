// SPDX-License-Identifier: Apache-2.0
// Integers of more than 64 bits, exact as Python's. The one door to GMP; only what overflows a word
// goes through it. Only this folder and search/ use it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>

namespace gridsmith::detail {

/// Immutable, cheap to copy.
class BigInteger {
public:
  static constexpr std::size_t most_bits = 4096; ///< of any result

  explicit BigInteger(std::int64_t value);
  /// Rounded towards zero. @pre finite
  explicit BigInteger(double value);
  /// Nothing: it has more than most_bits, or other characters than digits. @param base 10 or 16
  static std::optional<BigInteger> from_digits(std::string_view digits, int base);

  /// Nothing: more than most_bits.
  friend std::optional<BigInteger> operator+(const BigInteger& a, const BigInteger& b);
  friend std::optional<BigInteger> operator-(const BigInteger& a, const BigInteger& b);
  friend std::optional<BigInteger> operator*(const BigInteger& a, const BigInteger& b);
  /// @pre exponent >= 0
  std::optional<BigInteger> power(const BigInteger& exponent) const;
  /// Rounded towards minus infinity. @pre divisor != 0
  BigInteger floor_divide(const BigInteger& divisor) const;
  /// Sign of the divisor. @pre divisor != 0
  BigInteger modulo(const BigInteger& divisor) const;
  /// To the nearest real, of two the even one; infinite where none is near. @pre divisor != 0
  double divide(const BigInteger& divisor) const;

  int sign() const; ///< -1, 0, 1
  /// Below 0: it is less, 0: equal.
  int compare(const BigInteger& other) const;
  int compare(double other) const; ///< exact. @pre not NaN
  /// Where 64 bits hold it.
  std::optional<std::int64_t> word() const;
  /// To the nearest real, of two the even one; infinite where none is near.
  double real() const;
  /// As CPython's math.log2. @pre > 0
  double binary_logarithm() const;

private:
  struct Number;

  explicit BigInteger(std::shared_ptr<const Number> number) : number_(std::move(number)) {}

  static std::optional<BigInteger> within_limit(std::shared_ptr<const Number> number);

  std::shared_ptr<const Number> number_;
};

} // namespace gridsmith::detail
