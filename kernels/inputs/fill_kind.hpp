// SPDX-License-Identifier: Apache-2.0
// Which ways there are to fill a vector, and the numbers they take. Host and device share this text.
#pragma once

namespace gridsmith {

enum class Fill {
  constant,
  random, ///< T1's: reals uniform in [-1, 1) times `value`, integers of all bits
  uniform,
  sequence,
  permutation,
  sorted,
  normal,
  zipf,
  csr_offsets,
  csr_columns,
  expression,
  file,
};

/// Of all fills; each uses its own.
struct FillNumbers {
  double value = 0;
  double from = 0, to = 0, step = 1;
  double mean = 0, deviation = 1;
  double exponent = 1;
  double rows = 0, columns = 0, density = 0, skew = 0;
};

} // namespace gridsmith
