// SPDX-License-Identifier: Apache-2.0
// Reals as elements: of a normal distribution, and in 16 bits. Alike on host and device, as base/expression/reals.hpp says.
#pragma once

#include "gridsmith/base/expression/reals.hpp"

#include <cstdint>

namespace gridsmith {

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

/// The number of a half.
inline double value_of_half(std::uint16_t half) {
  const std::uint64_t exponent = half >> 10 & 31, mantissa = half & 1023;
  const double sign = (half & 0x8000) != 0 ? -1 : 1;
  if (exponent == 31)
    return mantissa != 0 ? no_number() : sign * same_bits<double>(std::uint64_t{0x7ff0} << 48);
  const double unit =
      same_bits<double>((exponent == 0 ? 999 : 998 + exponent) << 52); // of the last place
  return sign * unit * static_cast<double>(exponent == 0 ? mantissa : 1024 + mantissa);
}

} // namespace gridsmith
