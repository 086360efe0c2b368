// SPDX-License-Identifier: Apache-2.0
// Functions of reals that host and device compute alike, to the bit: + - * / of doubles and
// operations on their bits, nothing else. Whoever compiles this text must not contract a * b + c:
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
    return same_bits<double>(std::uint64_t{0x7ff8} << 48);
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

/// The standard normal distribution's value below which a share `p` lies. With x = 2p - 1 and
/// w = -log(1 - x^2) it is x times a smooth function of w: in three pieces a polynomial, fitted by
/// us at Chebyshev's nodes to within 1e-9. @pre 2^-53 <= p <= 1 - 2^-53
__attribute__((noinline)) inline double normal_quantile(double p) {
  constexpr double pieces[3][12] = {
      {2.1233134678878707, 0.87200506117622334, -0.036922684743962098, -0.027681200055451344,
       0.012057492198620732, -0.00068996152803816691, -0.0011829454338903034,
       0.00041314238251999313, 3.5577986115716463e-05, -5.8549058943905642e-05,
       5.8683887355452189e-06, 4.1452539392139442e-06},
      {4.1229718502430206, 1.0355558012257333, -0.11677443703023299, 0.024357105097495113,
       -0.0052593780177723195, 0.00062872133528350338, 0.00031260557718937321,
       -0.00032046822591761764, 0.00018748134742925987, -7.6351529287421713e-05,
       9.9179028154594562e-06, 3.8159991314993622e-06},
      {7.0002783645014315, 1.6811858294360795, -0.19437145004932083, 0.044424653934339073,
       -0.012606854063593667, 0.0039893969048125184, -0.0013558923207407738, 0.00047886543442861768,
       -0.00015919634401958169, 5.9751303799278808e-05, -3.6548338338585985e-05,
       1.3261722945874983e-05}};
  constexpr double begin[4] = {0, 5, 14, 38};
  const double w = -logarithm_of(4 * p * (1 - p));
  const int piece = (w >= begin[1]) + (w >= begin[2]);
  const double u = 2 * (w - begin[piece]) / (begin[piece + 1] - begin[piece]) - 1;
  double sum = 0;
  for (int i = 11; i >= 0; --i)
    sum = sum * u + pieces[piece][i];
  return (2 * p - 1) * sum;
}

/// IEEE 754 binary16, rounded to nearest, of two the even one.
__attribute__((noinline)) inline std::uint16_t half_of(double value) {
  const std::uint64_t bits = same_bits<std::uint64_t>(value);
  const std::uint64_t sign = bits >> 48 & 0x8000;
  const double size = absolute_of(value);
  if (value != value)
    return 0x7fff;
  if (size >= 65520) // half above the largest, 65504
    return static_cast<std::uint16_t>(sign | 0x7c00);
  const int exponent = size < 6.103515625e-05 ? -14 : static_cast<int>(bits >> 52 & 2047) - 1023;
  // In units of the last place: 2^(exponent - 10), 2^-24 for subnormal ones.
  const double unit = same_bits<double>(static_cast<std::uint64_t>(1033 - exponent) << 52);
  const auto places = static_cast<std::uint64_t>(round_of(size * unit));
  // 1024 places and more carry into the exponent by themselves.
  return static_cast<std::uint16_t>(sign |
                                    (static_cast<std::uint64_t>(exponent + 14) * 1024 + places));
}

} // namespace gridsmith
