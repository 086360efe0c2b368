// SPDX-License-Identifier: Apache-2.0
// What host and device code hand to each other. Both compile this text: nothing here needs the
// standard library but for the fixed widths. Every member has 8 bytes, and the sizes leave no room
// between them, so the offsets are the same on both sides too.
#pragma once

#include "gridsmith/kernels/inputs/element_type.hpp"
#include "gridsmith/search/formula/formula_program.hpp"

#include <cstdint>

namespace gridsmith {

/// What outputs hold before a launch that is judged. Bits of 8 bytes, as all that is handed over.
enum class Poison : std::uint64_t {
  none,       ///< an input that is changed in place
  impossible, ///< what no arithmetic gives: NaN of all ones; integers as `plausible`
  plausible,  ///< a number that looks like an earlier result and is not the expected one
  blind,      ///< as `impossible`; integers whatever is expected: nothing may be yet
};

/// Of one comparison. All zero: nothing wrong.
struct Disagreement {
  std::uint64_t inverse_first = 0; ///< ~index of the first wrong element, of the guard for guards:
                                   ///< zero-filled memory means none
  std::uint64_t wrong = 0;         ///< wrong elements
  std::uint64_t unwritten = 0;     ///< those of them that still hold the poison
  std::uint64_t got = 0, want = 0; ///< bits of the first wrong element
  std::uint64_t first_unwritten = 0;  ///< 1: the first wrong element still holds the poison
  std::uint64_t digest = 0;           ///< of what was compared with, or of an input
  std::uint64_t expected_changed = 0; ///< 1: that digest is not the one taken before

  constexpr std::uint64_t first() const { return ~inverse_first; }
};

static_assert(sizeof(Disagreement) == 8 * sizeof(std::uint64_t));

/// Of the elements of an output that are verified, after two launches. All zero: none was looked at.
struct WrittenElements {
  std::uint64_t written = 0;
  std::uint64_t unwritten = 0; ///< they still hold the poison of both
};

static_assert(sizeof(WrittenElements) == 2 * sizeof(std::uint64_t));

/// How far the verified elements of all outputs are from what is expected. All zero: none was looked at.
struct Differences {
  std::uint64_t elements = 0;
  std::uint64_t max_ulp =
      0; ///< numbers of the type from one to the other; of integers their difference
  // Bits of doubles that are not negative, which are ordered as the numbers are:
  std::uint64_t max_absolute = 0;
  std::uint64_t max_relative = 0; ///< where what is expected is not 0
  // Sums:
  double absolute = 0, squares = 0; ///< of differences
  double relative = 0;              ///< of them as parts of what is expected, where that is not 0
  double got_squares = 0, want_squares = 0;
  double products = 0; ///< of what was got and what is expected
};

static_assert(sizeof(Differences) == 10 * sizeof(std::uint64_t));

/// The elements of a buffer, in rows that begin at multiples of the pitch.
struct View {
  void* data = nullptr;
  std::uint64_t elements = 0;
  std::uint64_t row = 0;   ///< elements of one; 0: all one after the other
  std::uint64_t pitch = 0; ///< elements from the start of a row to that of the next

  constexpr std::uint64_t place(std::uint64_t i) const {
    return row == 0 ? i : i / row * pitch + i % row;
  }
};

static_assert(sizeof(View) == 4 * sizeof(std::uint64_t));

/// Bytes beside a buffer that no kernel may change: one after the other, or as many in each of several
/// rows.
struct Guard {
  std::uint8_t* first = nullptr;
  std::uint64_t bytes = 0; ///< of one row
  std::uint64_t rows = 1;
  std::uint64_t pitch = 0; ///< bytes from a row to the next

  constexpr std::uint64_t total() const { return bytes * rows; }

  constexpr std::uint8_t* at(std::uint64_t i) const {
    return first + (rows == 1 ? i : i / bytes * pitch + i % bytes);
  }
};

static_assert(sizeof(Guard) == 4 * sizeof(std::uint64_t));

/// A vector that a formula reads.
struct FormulaSource {
  View view;
  ElementType type = ElementType::float32;
};

static_assert(sizeof(FormulaSource) == 5 * sizeof(std::uint64_t));

/// Of the elements of an output. All zero: all have a value.
struct FormulaOutcome {
  std::uint64_t inverse_first = 0; ///< ~index of the first element that has none; zero: none
  std::uint64_t late = 0;          ///< some were not done in time
};

static_assert(sizeof(FormulaOutcome) == 2 * sizeof(std::uint64_t));

/// All elements of an output by a program; everything lies in device memory.
struct FormulaJob {
  void* elements = nullptr; ///< one after the other
  std::uint64_t count = 0;
  ElementType type = ElementType::float32;
  const FormulaStep* program = nullptr;
  const FormulaSource* sources = nullptr;
  FormulaRegister* registers = nullptr; ///< the first of all threads, the second of all, …
  std::uint64_t threads = 0;
  std::uint64_t limit_ns = 0;
  FormulaOutcome* outcome = nullptr;
};

static_assert(sizeof(FormulaJob) == 9 * sizeof(std::uint64_t));

struct ClockStamp {
  std::uint64_t nanoseconds = 0; ///< of the device's global timer
  std::uint64_t cycles = 0;      ///< of the SM
  std::uint64_t sm = 0;          ///< which one: cycles of two cannot be compared
};

static_assert(sizeof(ClockStamp) == 3 * sizeof(std::uint64_t));

} // namespace gridsmith
