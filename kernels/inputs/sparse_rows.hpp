// SPDX-License-Identifier: Apache-2.0
// Which elements of a matrix are not zero, as compressed sparse rows (CSR), every entry from its
// index alone. The nonzeros are split between the two halves of the rows, those again, and so on down
// to single rows, with a share that each node draws: a cascade as R-MAT's (Chakrabarti, Zhan,
// Faloutsos, 2004), along the rows only. Shared by host and device.
#pragma once

#include "gridsmith/kernels/inputs/random.hpp"
#include "gridsmith/kernels/inputs/reals.hpp"

#include <cstdint>

namespace gridsmith {

struct SparseRows {
  std::uint64_t rows = 0, columns = 0; ///< both below 2^32
  std::uint64_t nonzeros = 0;          ///< at most rows * columns
  double skew = 0;                     ///< 0: rows differ by one at most; up to 1
  std::uint64_t seed = 0, stream = 0;
};

/// Rows, or after the descent one row, with their nonzeros.
struct RowSpan {
  std::uint64_t row = 0, rows = 0;       ///< the first, and how many
  std::uint64_t first = 0, nonzeros = 0; ///< index of the first nonzero, and how many
};

/// Nonzeros of the left rows / 2 rows: as many as they are of the rows, off by up to `skew` of that,
/// and no more than either half has room for. @param node 1 for all rows, 2n and 2n + 1 for the halves
inline std::uint64_t left_nonzeros(const SparseRows& of, const RowSpan& span, std::uint64_t node) {
  const std::uint64_t left_rows = span.rows / 2, right_rows = span.rows - left_rows;
  const auto bits = [&](std::uint64_t draw) {
    return random_bits(of.seed, of.stream, 4 * node + draw);
  };
  const std::uint64_t rest = span.nonzeros % span.rows * left_rows; // both below 2^32
  std::uint64_t left = span.nonzeros / span.rows * left_rows + rest / span.rows;
  left += bits_below(span.rows, bits(0)) < rest % span.rows ? 1 : 0;
  if (of.skew > 0) {
    const double even = static_cast<double>(span.nonzeros) *
                        (static_cast<double>(left_rows) / static_cast<double>(span.rows));
    const double shift = floor_of(of.skew * (2 * unit_of(bits(1)) - 1) * even + unit_of(bits(2)));
    const double moved = static_cast<double>(left) + shift;
    left = moved > 0 ? static_cast<std::uint64_t>(moved) : 0;
  }
  const std::uint64_t right_room = right_rows * of.columns, left_room = left_rows * of.columns;
  const std::uint64_t least = span.nonzeros > right_room ? span.nonzeros - right_room : 0;
  const std::uint64_t most = span.nonzeros < left_room ? span.nonzeros : left_room;
  return left < least ? least : left > most ? most : left;
}

/// The row with this number, or the one that holds the nonzero of this index.
__attribute__((noinline)) inline RowSpan sparse_row(const SparseRows& of, std::uint64_t wanted,
                                                    bool by_nonzero) {
  RowSpan span{0, of.rows, 0, of.nonzeros};
  for (std::uint64_t node = 1; span.rows > 1;) {
    const std::uint64_t left = left_nonzeros(of, span, node), left_rows = span.rows / 2;
    const bool goes_right =
        by_nonzero ? wanted >= span.first + left : wanted >= span.row + left_rows;
    node = 2 * node + (goes_right ? 1 : 0);
    if (goes_right)
      span = {span.row + left_rows, span.rows - left_rows, span.first + left, span.nonzeros - left};
    else
      span = {span.row, left_rows, span.first, left};
  }
  return span;
}

/// Index of the row's first nonzero; of the row behind the last, how many there are.
inline std::uint64_t sparse_offset(const SparseRows& of, std::uint64_t row) {
  return row < of.rows ? sparse_row(of, row, false).first : of.nonzeros;
}

/// Column of a nonzero: a row's columns are cut into as many equal parts as it has nonzeros, each
/// with one of them, so that they are sorted and distinct.
inline std::uint64_t sparse_column(const SparseRows& of, std::uint64_t nonzero) {
  const RowSpan row = sparse_row(of, nonzero, true);
  const std::uint64_t part = nonzero - row.first;
  const std::uint64_t begin = part * of.columns / row.nonzeros;
  const std::uint64_t end = (part + 1) * of.columns / row.nonzeros;
  return begin + bits_below(end - begin, random_bits(~of.seed, of.stream, nonzero));
}

} // namespace gridsmith
