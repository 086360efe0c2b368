// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/base/expression/big_integer.hpp"

#include "gridsmith/base/expression/reals.hpp"

#include <gmp.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <string>

namespace gridsmith::detail {

static_assert(sizeof(long) == sizeof(std::int64_t)); // GMP's own word

struct BigInteger::Number {
  Number() { mpz_init(value); }

  ~Number() { mpz_clear(value); }

  Number(const Number&) = delete;
  Number& operator=(const Number&) = delete;

  std::size_t bits() const { return mpz_sgn(value) == 0 ? 0 : mpz_sizeinbase(value, 2); }

  mpz_t value;
};

namespace {

constexpr int mantissa_bits = std::numeric_limits<double>::digits;
constexpr long least_exponent = std::numeric_limits<double>::min_exponent - mantissa_bits; // -1074

/// quotient * 2^exponent to the nearest real, of two the even one. @param quotient its last bit is
/// set where something smaller was cut off; two bits more than a real has, unless tiny
double rounded(std::uint64_t quotient, long exponent) {
  const long surplus = static_cast<long>(std::bit_width(quotient)) - mantissa_bits;
  const long drop = std::max({surplus, least_exponent - exponent, 0L});
  const std::uint64_t rest = quotient & ((std::uint64_t{1} << drop) - 1);
  const std::uint64_t half = drop == 0 ? 0 : std::uint64_t{1} << (drop - 1);
  std::uint64_t kept = quotient >> drop;
  if (drop > 0 && (rest > half || (rest == half && kept % 2 == 1)))
    ++kept;
  return std::ldexp(static_cast<double>(kept), static_cast<int>(exponent + drop));
}

} // namespace

BigInteger::BigInteger(std::int64_t value) {
  const auto number = std::make_shared<Number>();
  mpz_set_si(number->value, value);
  number_ = number;
}

BigInteger::BigInteger(double value) {
  const auto number = std::make_shared<Number>();
  mpz_set_d(number->value, value);
  number_ = number;
}

std::optional<BigInteger> BigInteger::within_limit(std::shared_ptr<const Number> number) {
  if (number->bits() > most_bits)
    return std::nullopt;
  return BigInteger(std::move(number));
}

std::optional<BigInteger> BigInteger::from_digits(std::string_view digits, int base) {
  const auto number = std::make_shared<Number>();
  if (digits.size() > most_bits || mpz_set_str(number->value, std::string(digits).c_str(), base))
    return std::nullopt;
  return within_limit(number);
}

std::optional<BigInteger> operator+(const BigInteger& a, const BigInteger& b) {
  const auto sum = std::make_shared<BigInteger::Number>();
  mpz_add(sum->value, a.number_->value, b.number_->value);
  return BigInteger::within_limit(sum);
}

std::optional<BigInteger> operator-(const BigInteger& a, const BigInteger& b) {
  const auto difference = std::make_shared<BigInteger::Number>();
  mpz_sub(difference->value, a.number_->value, b.number_->value);
  return BigInteger::within_limit(difference);
}

std::optional<BigInteger> operator*(const BigInteger& a, const BigInteger& b) {
  const auto product = std::make_shared<BigInteger::Number>();
  mpz_mul(product->value, a.number_->value, b.number_->value);
  return BigInteger::within_limit(product);
}

std::optional<BigInteger> BigInteger::power(const BigInteger& exponent) const {
  const auto result = std::make_shared<Number>();
  unsigned long times = mpz_get_ui(exponent.number_->value);
  if (mpz_cmpabs_ui(number_->value, 1) <= 0) { // 0, 1, -1: only zero, one, even or odd matters
    times = exponent.sign() == 0 ? 0 : 2 - times % 2;
  } else if (!mpz_fits_ulong_p(exponent.number_->value) || times > most_bits ||
             (number_->bits() - 1) * times > most_bits) {
    return std::nullopt; // before it takes all memory
  }
  mpz_pow_ui(result->value, number_->value, times);
  return within_limit(result);
}

BigInteger BigInteger::floor_divide(const BigInteger& divisor) const {
  const auto quotient = std::make_shared<Number>();
  mpz_fdiv_q(quotient->value, number_->value, divisor.number_->value);
  return BigInteger(quotient);
}

BigInteger BigInteger::modulo(const BigInteger& divisor) const {
  const auto rest = std::make_shared<Number>();
  mpz_fdiv_r(rest->value, number_->value, divisor.number_->value);
  return BigInteger(rest);
}

/// The first bits of the quotient, with a mark for what is cut off.
double BigInteger::divide(const BigInteger& divisor) const {
  if (sign() == 0)
    return 0;
  const long digits =
      static_cast<long>(number_->bits()) - static_cast<long>(divisor.number_->bits());
  const long exponent = std::max(digits - mantissa_bits - 2, least_exponent - 2);
  Number a, b, rest;
  mpz_abs(a.value, number_->value);
  mpz_abs(b.value, divisor.number_->value);
  if (exponent > 0)
    mpz_mul_2exp(b.value, b.value, static_cast<mp_bitcnt_t>(exponent));
  else
    mpz_mul_2exp(a.value, a.value, static_cast<mp_bitcnt_t>(-exponent));
  mpz_tdiv_qr(a.value, rest.value, a.value, b.value);
  const std::uint64_t cut_off = mpz_sgn(rest.value) != 0 ? 1 : 0;
  const double size = rounded(mpz_get_ui(a.value) | cut_off, exponent);
  return sign() == divisor.sign() ? size : -size;
}

int BigInteger::sign() const {
  return mpz_sgn(number_->value);
}

int BigInteger::compare(const BigInteger& other) const {
  return mpz_cmp(number_->value, other.number_->value);
}

int BigInteger::compare(double other) const {
  return mpz_cmp_d(number_->value, other);
}

std::optional<std::int64_t> BigInteger::word() const {
  if (!mpz_fits_slong_p(number_->value))
    return std::nullopt;
  return mpz_get_si(number_->value);
}

double BigInteger::real() const {
  return divide(BigInteger(std::int64_t{1}));
}

/// Of what reals hold, theirs; beyond, of the mantissa and the exponent.
double BigInteger::binary_logarithm() const {
  if (const double near = real(); std::isfinite(near))
    return logarithm_to_2(near);
  const auto scale = std::make_shared<Number>();
  mpz_setbit(scale->value, number_->bits());
  return logarithm_to_2(divide(BigInteger(scale))) + static_cast<double>(number_->bits());
}

} // namespace gridsmith::detail
