// SPDX-License-Identifier: Apache-2.0
// What an element of a filled vector holds, made alike by host and device from the element's index:
// docs/definition.md has the formula of each fill. Shared text; whoever compiles it must not contract
// a * b + c (see reals.hpp).
#pragma once

#include "gridsmith/kernels/inputs/element_type.hpp"
#include "gridsmith/kernels/inputs/fill_kind.hpp"
#include "gridsmith/kernels/inputs/random.hpp"
#include "gridsmith/kernels/inputs/reals.hpp"
#include "gridsmith/kernels/inputs/sparse_rows.hpp"
#include "gridsmith/search/formula/formula_program.hpp"

#include <cstdint>

namespace gridsmith {

/// All that an element depends on beside its index.
struct Filling {
  ElementType type = ElementType::float32;
  Fill fill = Fill::constant;
  FillNumbers numbers;
  std::uint64_t elements = 0, seed = 0;
  std::uint64_t stream = 0;       ///< of random bits: the argument's position among all arguments
  const void* content = nullptr;  ///< of a file: its elements; of an expression: its program …
  std::uint64_t instructions = 0; ///< … and its length
  const Filling* sources =
      nullptr; ///< of an expression: the vectors that it reads, which read none
  double zipf_low = 0, zipf_high = 0; ///< areas under the curve: zipf_area()
  double zipf_sure = 0;               ///< this near to a whole number it is taken at once
  std::uint64_t change = 0;           ///< number of a change; 0: none
};

static_assert(sizeof(Filling) == 22 * sizeof(std::uint64_t)); // the same on both sides

/// Elements that hold what another one does: one of every changed_each, drawn, or a single one.
struct FillChange {
  std::uint64_t count = 0;  ///< none: 0
  std::uint64_t source = 0; ///< the other one
};

constexpr std::uint64_t changed_each = 1024;
/// Part of a change's number: it is of a single element.
constexpr std::uint64_t single_change = std::uint64_t{1} << 63;

/// Random bits of the filling's change.
inline std::uint64_t change_bits(const Filling& filling, std::uint64_t number) {
  return random_bits(~filling.seed + filling.change, filling.stream, number);
}

/// Indices, orders and files stay as they are.
inline FillChange change_of(const Filling& filling) {
  const bool free_of_order = filling.fill == Fill::random || filling.fill == Fill::uniform ||
                             filling.fill == Fill::normal || filling.fill == Fill::zipf ||
                             (filling.fill == Fill::expression && is_real(filling.type));
  if (filling.change == 0 || !free_of_order)
    return {};
  const bool single = (filling.change & single_change) != 0;
  return {single ? 1 : (filling.elements + changed_each - 1) / changed_each,
          bits_below(filling.elements, change_bits(filling, 0))};
}

/// The changed element of that number, or the single one.
inline std::uint64_t changed_place(const Filling& filling, std::uint64_t number) {
  if ((filling.change & single_change) != 0)
    return bits_below(filling.elements, change_bits(filling, 1));
  const std::uint64_t first = number * changed_each, left = filling.elements - first;
  return first +
         bits_below(left < changed_each ? left : changed_each, change_bits(filling, number + 1));
}

/// Where the element comes from that this place holds.
inline std::uint64_t source_of(const Filling& filling, std::uint64_t place) {
  const FillChange change = change_of(filling);
  return change.count > 0 && changed_place(filling, place / changed_each) == place ? change.source
                                                                                   : place;
}

/// log x, or (x^(1 - s) - 1) / (1 - s): the integral of x^-s from 1.
inline double zipf_area(double exponent, double x) {
  const double log = logarithm_of(x);
  return log * exponential_slope((1 - exponent) * log);
}

/// The x of an area.
inline double zipf_inverse(double exponent, double area) {
  const double t = (1 - exponent) * area, least = -0.9999999999999999; // next to -1
  return exponential_of(area * logarithm_slope(t > least ? t : least));
}

inline double zipf_height(double exponent, double x) {
  return exponential_of(-exponent * logarithm_of(x));
}

inline void prepare_zipf(Filling& filling) {
  const double s = filling.numbers.exponent;
  filling.zipf_low = zipf_area(s, 1.5) - 1;
  filling.zipf_high = zipf_area(s, filling.numbers.to + 1.5);
  filling.zipf_sure = 2 - zipf_inverse(s, zipf_area(s, 2.5) - zipf_height(s, 2));
}

/// k in [0, to] with a probability proportional to (k + 1)^-exponent: rejection-inversion (Hörmann,
/// Derflinger, "Rejection-inversion to generate variates from monotone discrete distributions",
/// 1996).
__attribute__((noinline)) inline double zipf_value(const Filling& filling, std::uint64_t bits) {
  const double s = filling.numbers.exponent, count = filling.numbers.to + 1;
  double k = 1;
  for (std::uint64_t draw = 0; draw < 64; ++draw) { // three quarters are taken at the first
    const double u = filling.zipf_high +
                     unit_of(random_bits(bits, 0, draw)) * (filling.zipf_low - filling.zipf_high);
    const double x = zipf_inverse(s, u);
    k = floor_of(x + 0.5);
    k = k < 1 ? 1 : k > count ? count : k;
    if (k - x <= filling.zipf_sure || u >= zipf_area(s, k + 0.5) - zipf_height(s, k))
      break;
  }
  return k - 1;
}

inline SparseRows sparse_rows_of(const Filling& filling) {
  const FillNumbers& of = filling.numbers;
  const auto rows = static_cast<std::uint64_t>(of.rows);
  const auto columns = static_cast<std::uint64_t>(of.columns);
  const auto wanted = static_cast<std::uint64_t>(of.rows * of.columns * of.density);
  const std::uint64_t all = rows * columns; // the product of doubles may be above
  return {rows, columns, wanted < all ? wanted : all, of.skew, filling.seed, filling.stream};
}

/// Of a permutation.
inline std::uint64_t place_of(const Filling& filling, std::uint64_t index) {
  return permuted(filling.seed, filling.stream, filling.elements, index);
}

/// The value of an element whose fill gives whole numbers.
inline std::uint64_t whole_element(const Filling& filling, std::uint64_t bits,
                                   std::uint64_t index) {
  switch (filling.fill) {
  case Fill::zipf:
    return static_cast<std::uint64_t>(zipf_value(filling, bits));
  case Fill::csr_offsets:
    return sparse_offset(sparse_rows_of(filling), index);
  default:
    return sparse_column(sparse_rows_of(filling), index);
  }
}

/// Of constant, uniform, sequence, permutation, sorted and normal, before it is rounded to the type.
inline double real_element(const Filling& filling, std::uint64_t bits, std::uint64_t index) {
  const FillNumbers& of = filling.numbers;
  const double i = static_cast<double>(index);
  switch (filling.fill) {
  case Fill::uniform:
    return of.from + (of.to - of.from) * unit_of(bits);
  case Fill::sequence:
    return of.from + i * of.step;
  case Fill::permutation:
    return of.from + static_cast<double>(place_of(filling, index)) * of.step;
  case Fill::sorted: // rounding keeps the order
    return of.from +
           (of.to - of.from) * ((i + unit_of(bits)) / static_cast<double>(filling.elements));
  case Fill::normal: // 52 bits, so that the half is exact
    return of.mean + of.deviation * normal_quantile((static_cast<double>(bits >> 12) + 0.5) /
                                                    4503599627370496.0);
  default:
    return of.value;
  }
}

/// The nearest that the type holds.
inline std::int64_t saturated(ElementType type, std::int64_t value) {
  const std::uint64_t bits = 8 * size_of(type) - (is_signed_integer(type) ? 1 : 0);
  const std::int64_t most = static_cast<std::int64_t>(bits < 63 ? (std::uint64_t{1} << bits) - 1
                                                                : ~std::uint64_t{0} >> 1);
  const std::int64_t least = is_signed_integer(type) ? -most - 1 : 0;
  return value < least ? least : value > most ? most : value;
}

/// The same of integers: both ends of a range are in it.
inline std::int64_t integer_element(const Filling& filling, std::uint64_t bits,
                                    std::uint64_t index) {
  const FillNumbers& of = filling.numbers;
  const std::int64_t from = whole_of(of.from);
  const auto last = static_cast<std::uint64_t>(whole_of(of.to) - from);
  switch (filling.fill) {
  case Fill::uniform:
    return from + static_cast<std::int64_t>(bits_below(last + 1, bits));
  case Fill::sequence:
    return from + static_cast<std::int64_t>(index) * whole_of(of.step);
  case Fill::permutation:
    return from + static_cast<std::int64_t>(place_of(filling, index)) * whole_of(of.step);
  case Fill::sorted: {
    const double share =
        (static_cast<double>(index) + unit_of(bits)) / static_cast<double>(filling.elements);
    const auto place = static_cast<std::uint64_t>(share * (static_cast<double>(last) + 1));
    return from + static_cast<std::int64_t>(place < last ? place : last);
  }
  case Fill::normal:
    return saturated(filling.type, whole_of(round_of(real_element(filling, bits, index))));
  default:
    return whole_of(of.value);
  }
}

/// Of a real type, rounded to nearest; one NaN of all.
inline std::uint64_t bits_of_real(ElementType type, double value) {
  if (type == ElementType::float16)
    return half_of(value);
  if (type == ElementType::float32)
    return value == value ? same_bits<std::uint32_t>(static_cast<float>(value)) : 0x7fc00000u;
  return value == value ? same_bits<std::uint64_t>(value) : std::uint64_t{0x7ff8} << 48;
}

/// The number behind the bits of an element; of an integer beyond 2^53 the nearest.
inline double number_of_bits(ElementType type, std::uint64_t bits) {
  if (type == ElementType::float16)
    return value_of_half(static_cast<std::uint16_t>(bits));
  if (type == ElementType::float32)
    return static_cast<double>(same_bits<float>(static_cast<std::uint32_t>(bits)));
  if (type == ElementType::float64)
    return same_bits<double>(bits);
  const std::uint64_t spare = 64 - 8 * size_of(type);
  return is_signed_integer(type)
             ? static_cast<double>(static_cast<std::int64_t>(bits << spare) >> spare)
             : static_cast<double>(bits << spare >> spare);
}

/// In the low bytes.
inline std::uint64_t bits_of_integer(ElementType type, std::uint64_t value) {
  const std::uint64_t bits = 8 * size_of(type);
  return bits == 64 ? value : value & ((std::uint64_t{1} << bits) - 1);
}

/// Whether an element of this type can be that integer.
inline bool holds(ElementType type, std::int64_t value) {
  const std::uint64_t width = 8 * size_of(type);
  if (!is_signed_integer(type))
    return value >= 0 && (width == 64 || value >> width == 0);
  return width == 64 || (value >> (width - 1)) == (value < 0 ? -1 : 0);
}

/// T1's random vectors: reals are scaled in their own precision, half in single.
inline std::uint64_t random_element(const Filling& filling, std::uint64_t bits,
                                    std::uint64_t index) {
  if (!is_real(filling.type))
    return bits_of_integer(filling.type, bits);
  const float unit = random_real(filling.seed, filling.stream, index);
  return bits_of_real(filling.type,
                      filling.type == ElementType::float64
                          ? filling.numbers.value * static_cast<double>(unit)
                          : static_cast<double>(static_cast<float>(filling.numbers.value) * unit));
}

/// What a formula's result is as an element, rounded to the type; a real is cut for an integer.
inline std::uint64_t bits_of_result(ElementType type, bool real, FormulaRegister result) {
  if (is_real(type))
    return bits_of_real(type, real ? result.real : static_cast<double>(result.whole));
  return bits_of_integer(type,
                         static_cast<std::uint64_t>(real ? whole_of(result.real) : result.whole));
}

constexpr std::uint64_t most_fill_registers = 32; // 256 bytes for every thread of the device

template <bool reads>
inline std::uint64_t filled_bits(const Filling& filling, std::uint64_t index);

/// Of an expression that fills: no loops. What it reads is computed again.
template <bool reads>
struct FillMemory {
  const Filling* sources;
  FormulaRegister registers[most_fill_registers];

  FormulaRegister& at(std::uint32_t place) { return registers[place]; }

  std::uint64_t elements(std::uint32_t vector) const {
    return reads ? sources[vector].elements : 0;
  }

  double element(std::uint32_t vector, std::uint64_t index) const {
    if constexpr (reads)
      return number_of_bits(sources[vector].type, filled_bits<false>(sources[vector], index));
    return 0;
  }

  bool late() const { return false; }
};

template <bool reads>
__attribute__((noinline)) inline std::uint64_t expression_element(const Filling& filling,
                                                                  std::uint64_t index) {
  const auto* program = static_cast<const FormulaStep*>(filling.content);
  FillMemory<reads> memory;
  memory.sources = filling.sources;
  memory.at(formula_index).whole = static_cast<std::int64_t>(index);
  run_formula(program, memory);
  return bits_of_result(filling.type, program[0].real, formula_result(program, memory));
}

inline std::uint64_t file_element(const Filling& filling, std::uint64_t index) {
  const std::uint64_t width = size_of(filling.type);
  const auto* bytes = static_cast<const std::uint8_t*>(filling.content) + index * width;
  std::uint64_t bits = 0;
  for (std::uint64_t i = 0; i < width; ++i) // little-endian
    bits |= static_cast<std::uint64_t>(bytes[i]) << (8 * i);
  return bits;
}

/// What would be rounded to the end of its range, which is not in it, is at the start.
inline std::uint64_t uniform_real(const Filling& filling, std::uint64_t bits) {
  const std::uint64_t value = bits_of_real(filling.type, real_element(filling, bits, 0));
  return value == bits_of_real(filling.type, filling.numbers.to)
             ? bits_of_real(filling.type, filling.numbers.from)
             : value;
}

/// @param reads elements of other vectors
template <bool reads>
inline std::uint64_t filled_bits(const Filling& filling, std::uint64_t place) {
  const std::uint64_t index = filling.change == 0 ? place : source_of(filling, place);
  const std::uint64_t bits = random_bits(filling.seed, filling.stream, index);
  const bool real = is_real(filling.type);
  switch (filling.fill) {
  case Fill::random:
    return random_element(filling, bits, index);
  case Fill::expression:
    return expression_element<reads>(filling, index);
  case Fill::file:
    return file_element(filling, index);
  case Fill::zipf:
  case Fill::csr_offsets:
  case Fill::csr_columns: {
    const std::uint64_t value = whole_element(filling, bits, index);
    return real ? bits_of_real(filling.type, static_cast<double>(value))
                : bits_of_integer(filling.type, value);
  }
  case Fill::uniform:
    if (real)
      return uniform_real(filling, bits);
    break;
  default:
    break;
  }
  return real ? bits_of_real(filling.type, real_element(filling, bits, index))
              : bits_of_integer(filling.type,
                                static_cast<std::uint64_t>(integer_element(filling, bits, index)));
}

/// The bits of an element, in the low bytes of its type's width.
inline std::uint64_t filled_bits(const Filling& filling, std::uint64_t index) {
  return filling.sources ? filled_bits<true>(filling, index) : filled_bits<false>(filling, index);
}

} // namespace gridsmith
