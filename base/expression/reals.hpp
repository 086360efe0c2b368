// SPDX-License-Identifier: Apache-2.0
// Functions of reals that host and device compute alike, to the bit: + - * / of doubles and
// operations on their bits, nothing else. This text must be compiled without contracting a * b + c:
// -ffp-contract=off on the host, --fmad=false on the device. What is long is not inlined, so that the
// device's code is compiled in a second, not in four.
#pragma once

#include <cstdint>
#include <cstring>

namespace gridsmith {

template <typename To, typename From>
inline To same_bits(From value) {
  To bits;
  memcpy(&bits, &value, sizeof bits);
  return bits;
}

/// NaN.
inline double no_number() {
  return same_bits<double>(std::uint64_t{0x7ff8} << 48);
}

inline double absolute_of(double x) {
  return x < 0 ? -x : x;
}

/// Towards minus infinity. Beyond 2^52 every double is whole.
inline double floor_of(double x) {
  if (!(absolute_of(x) < 4503599627370496.0))
    return x;
  const double whole = static_cast<double>(static_cast<std::int64_t>(x));
  return whole > x ? whole - 1 : whole;
}

/// To the nearest whole number, of two the even one.
inline double round_of(double x) {
  const double below = floor_of(x), rest = x - below;
  const bool odd = below - 2 * floor_of(below / 2) != 0;
  return rest > 0.5 || (rest == 0.5 && odd) ? below + 1 : below;
}

/// Towards zero; at the ends of 64 bits beyond them, 0 of NaN.
inline std::int64_t whole_of(double x) {
  if (x >= 9223372036854775808.0)
    return static_cast<std::int64_t>(~std::uint64_t{0} >> 1);
  if (x <= -9223372036854775808.0)
    return static_cast<std::int64_t>(std::uint64_t{1} << 63);
  return x == x ? static_cast<std::int64_t>(x) : 0;
}

/// The rest of a / b with the sign of a, exact: b doubled up to a and halved again. NaN where there
/// is none.
__attribute__((noinline)) inline double remainder_of(double a, double b) {
  const double size = absolute_of(a), step = absolute_of(b);
  if (!(size - size == 0) || !(step > 0))
    return no_number();
  double rest = size, most = step;
  while (most <= rest * 0.5)
    most += most;
  for (;; most *= 0.5) {
    if (rest >= most)
      rest -= most;
    if (!(most > step))
      return a < 0 ? -rest : rest;
  }
}

/// Natural logarithm: log(m 2^e) = e log 2 + 2 artanh(s), s = (m - 1) / (m + 1), m in [0.7, 1.42).
/// @pre a positive normal number
__attribute__((noinline)) inline double logarithm_of(double x) {
  const std::uint64_t bits = same_bits<std::uint64_t>(x), mantissa = (std::uint64_t{1} << 52) - 1;
  double exponent = static_cast<double>(static_cast<std::int64_t>(bits >> 52)) - 1023;
  double m = same_bits<double>((bits & mantissa) | std::uint64_t{1023} << 52);
  if (m > 1.4142135623730951) { // the root of 2
    m *= 0.5;
    exponent += 1;
  }
  const double s = (m - 1) / (m + 1), square = s * s;
  double sum = 0;
  for (int k = 23; k > 1; k -= 2) // 0.172^25 / 25 < 2^-64
    sum = square * (sum + 1.0 / k);
  return exponent * 0.6931471805599453 + 2 * (s + s * sum);
}

/// e^x = 2^k e^r, |r| <= log 2 / 2, by the series. 0 below -700, e^700 above 700.
__attribute__((noinline)) inline double exponential_of(double x) {
  if (x < -700)
    return 0;
  const double y = x > 700 ? 700 : x;
  const double k = floor_of(y / 0.6931471805599453 + 0.5);
  // log 2 in two parts, the first of 32 bits, so that k times it is exact.
  const double r = y - k * (2977044471.0 / 4294967296.0) - k * 1.9082149292705878e-10;
  double sum = 1;
  for (int n = 14; n > 0; --n) // 0.347^15 / 15! < 2^-63
    sum = 1 + sum * (r * (1.0 / n));
  return sum *
         same_bits<double>(static_cast<std::uint64_t>(static_cast<std::int64_t>(k) + 1023) << 52);
}

/// (e^t - 1) / t, 1 at t = 0.
inline double exponential_slope(double t) {
  if (absolute_of(t) >= 0.01)
    return (exponential_of(t) - 1) / t;
  double sum = 1;
  for (int n = 8; n > 1; --n)
    sum = 1 + sum * (t * (1.0 / n));
  return sum;
}

/// log(1 + t) / t, 1 at t = 0. @pre t > -1
inline double logarithm_slope(double t) {
  if (absolute_of(t) >= 0.01)
    return logarithm_of(1 + t) / t;
  double sum = 0;
  for (int n = 9; n > 0; --n)
    sum = 1.0 / n - t * sum;
  return sum;
}

/// Two that are added, of which the second is what the first could not hold.
struct SplitReal {
  double high = 0, low = 0;
};

/// a * b, exact. @pre neither is beyond 2^990
inline SplitReal exact_product(double a, double b) {
  constexpr double splitter = 134217729.0; // 2^27 + 1: halves of 26 bits
  const double a_shifted = splitter * a, b_shifted = splitter * b;
  const double a_high = a_shifted - (a_shifted - a), b_high = b_shifted - (b_shifted - b);
  const double a_low = a - a_high, b_low = b - b_high, product = a * b;
  return {product, ((a_high * b_high - product) + a_high * b_low + a_low * b_high) + a_low * b_low};
}

/// An exponent and the logarithm of a number in [0.7, 1.42).
struct Logarithm {
  double exponent = 0;
  SplitReal rest;
};

/// As logarithm_of(), to some 65 bits. @pre x > 0 and finite
__attribute__((noinline)) inline Logarithm split_logarithm(double x) {
  Logarithm made;
  const bool tiny = x < 2.2250738585072014e-308;
  const std::uint64_t bits = same_bits<std::uint64_t>(tiny ? x * 18014398509481984.0 : x); // 2^54
  made.exponent = static_cast<double>(static_cast<std::int64_t>(bits >> 52)) - (tiny ? 1077 : 1023);
  double m = same_bits<double>((bits & ((std::uint64_t{1} << 52) - 1)) | std::uint64_t{1023} << 52);
  if (m > 1.4142135623730951) { // the root of 2
    m *= 0.5;
    made.exponent += 1;
  }
  const double above = m + 1, lost = m - (above - 1), s = (m - 1) / above, square = s * s;
  const SplitReal back = exact_product(s, above);
  const double missing = (((m - 1) - back.high) - back.low - s * lost) / above;
  double sum = 0;
  for (int k = 23; k > 1; k -= 2)
    sum = square * (sum + 1.0 / k);
  made.rest = {2 * s, 2 * (missing + s * sum)};
  return made;
}

/// a + b, exact. @pre |a| >= |b|, or a is 0
inline SplitReal exact_sum(double a, double b) {
  const double sum = a + b;
  return {sum, a - sum + b};
}

/// Natural logarithm, to some 65 bits. @pre x > 0 and finite
inline SplitReal precise_logarithm(double x) {
  const Logarithm of = split_logarithm(x);
  // log 2 in two parts, the first of 32 bits.
  const SplitReal whole = exact_sum(of.exponent * (2977044471.0 / 4294967296.0), of.rest.high);
  return exact_sum(whole.high, whole.low + of.exponent * 1.9082149292705878e-10 + of.rest.low);
}

/// Natural logarithm of any real; NaN of a negative one.
inline double natural_logarithm(double x) {
  if (x > 0 && x - x == 0)
    return precise_logarithm(x).high;
  return x == 0 ? -1 / absolute_of(x) : x > 0 ? x : no_number();
}

/// To the base 2; exact of its powers.
inline double logarithm_to_2(double x) {
  if (!(x > 0) || x - x != 0)
    return natural_logarithm(x);
  const Logarithm of = split_logarithm(x);
  // 1 / log 2 in two parts.
  const SplitReal part = exact_product(of.rest.high, 1.4426950408889634);
  const SplitReal sum = exact_sum(of.exponent, part.high);
  return sum.high + (sum.low + part.low + of.rest.high * 2.0355273740931033e-17 +
                     of.rest.low * 1.4426950408889634);
}

/// e^(x + low), infinite above 709.8, 0 below -745.2. @param low small against x
__attribute__((noinline)) inline double power_of_e(double x, double low = 0) {
  if (x != x || x > 710 || x < -746)
    return x > 710 ? same_bits<double>(std::uint64_t{0x7ff0} << 48) : x == x ? 0 : x;
  const double k = floor_of(x * 1.4426950408889634 + 0.5);
  const double near = x - k * (2977044471.0 / 4294967296.0);
  const double r = near - k * 1.9082149292705878e-10;
  double sum = 0; // what r^2 / 2 is multiplied with for the terms behind it, to 0.347^15 / 15!
  for (int n = 14; n > 2; --n)
    sum = (1 + sum) * (r * (1.0 / n));
  const SplitReal half = exact_product(r, 0.5 * r), one = exact_sum(1, r);
  const SplitReal two = exact_sum(one.high, half.high);
  const double rest = near - r - k * 1.9082149292705878e-10 + low;
  const double tail = half.low + half.high * sum;
  const double mantissa = two.high + (two.low + one.low + tail + rest * (two.high + tail));
  // In two steps: 2^k itself may be no normal number.
  const auto first = static_cast<std::int64_t>(floor_of(k * 0.5)),
             other = static_cast<std::int64_t>(k) - first;
  return mantissa * same_bits<double>(static_cast<std::uint64_t>(first + 1023) << 52) *
         same_bits<double>(static_cast<std::uint64_t>(other + 1023) << 52);
}

/// a^b. NaN where a is negative and b not whole.
__attribute__((noinline)) inline double power_of(double a, double b) {
  const bool whole = floor_of(b) == b, odd = a < 0 && whole && b - 2 * floor_of(b * 0.5) == 1;
  if (b == 0 || a == 1)
    return 1;
  if (a != a || b != b || (a < 0 && !whole && b - b == 0))
    return no_number();
  const double size = absolute_of(a), sign = odd ? -1 : 1;
  if (size == 1)
    return sign;
  if (size == 0 || size - size != 0) // 0, infinite
    return sign * ((size == 0) == (b > 0) ? 0 : power_of_e(1000));
  const SplitReal of = precise_logarithm(size);
  if (absolute_of(b) > 1e18)
    return sign * power_of_e(b * of.high);
  const SplitReal exponent = exact_product(of.high, b);
  return sign * power_of_e(exponent.high, exponent.low + of.low * b);
}

/// Beyond this size sin, cos and tan are not computed: 2^29 quarters of a circle.
constexpr double largest_angle = 843314856.0;

/// The angle less the nearest whole number of quarters of a circle, and that number modulo 4. @pre |x| <= largest_angle
inline double within_quarter(double x, int& quarter) {
  const double k = floor_of(x * 0.6366197723675814 + 0.5);
  quarter = static_cast<int>(k - 4 * floor_of(k * 0.25));
  // A quarter in parts of 24 bits, so that k times each is exact.
  return (((x - k * 1.570796251296997) - k * 7.549789415861596e-08) - k * 5.390302529957765e-15) -
         k * 3.282003415807913e-22;
}

/// Series to 0.786^19 / 19! < 2^-60.
inline double sine_near_0(double r) {
  const double square = r * r;
  double sum = 1;
  for (int n = 18; n > 1; n -= 2)
    sum = 1 - sum * (square * (1.0 / (n * (n + 1))));
  return r * sum;
}

inline double cosine_near_0(double r) {
  const double square = r * r;
  double sum = 1;
  for (int n = 19; n > 0; n -= 2)
    sum = 1 - sum * (square * (1.0 / (n * (n + 1))));
  return sum;
}

/// The sine of an angle and of `more` quarters; NaN beyond the largest one.
__attribute__((noinline)) inline double sine_of(double x, int more) {
  if (!(absolute_of(x) <= largest_angle))
    return no_number();
  int quarter = 0;
  const double r = within_quarter(x, quarter);
  const int place = (quarter + more) & 3;
  const double value = (place & 1) != 0 ? cosine_near_0(r) : sine_near_0(r);
  return place > 1 ? -value : value;
}

inline double hyperbolic_tangent_of(double x) {
  if (x != x || absolute_of(x) > 20)
    return x != x ? x : x < 0 ? -1 : 1;
  const double t = 2 * x;
  double slope = 1; // (e^t - 1) / t by its series, to 1 / 19!
  for (int n = 18; n > 1; --n)
    slope = 1 + slope * (t * (1.0 / n));
  const double grown = absolute_of(t) < 1 ? t * slope : exponential_of(t) - 1;
  return grown / (grown + 2);
}

} // namespace gridsmith
