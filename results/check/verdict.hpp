// SPDX-License-Identifier: Apache-2.0
// What a regression check says of one kernel at one size, and what all of them together mean to a
// build.
#pragma once

#include "gridsmith/base/words.hpp"

#include <array>
#include <span>
#include <string_view>

namespace gridsmith {

enum class CheckVerdict {
  same,         ///< shown: the whole interval of the ratio lies within the least effect
  faster,       ///< the new code, by more than chance
  slower,       ///< likewise, in more than one process
  worse,        ///< the objective that it was tuned by, where that is not the time
  undecided,    ///< neither was shown with as many pairs as are allowed
  changed,      ///< a fact that is exact is worse: registers, a counter, an instruction
  different,    ///< the code or what it does has changed, and nothing of it is known to be worse
  incomparable, ///< the two cannot be judged against each other; the reason says why
  missing,      ///< there is nothing to judge on one of the sides
  wrong,        ///< the new code fails or its result is wrong
};

template <>
struct Words<CheckVerdict> {
  static constexpr std::string_view kind = "verdict";
  static constexpr std::array<std::string_view, 10> list{
      "same",    "faster",    "slower",       "worse",   "undecided",
      "changed", "different", "incomparable", "missing", "wrong"};
};

/// What fails besides slower, worse, wrong and changed.
struct FailureRules {
  bool strict = false;        ///< undecided and different fail too
  bool allow_missing = false; ///< incomparable and missing pass where anything else was judged
};

/// Of all verdicts together, in the order of their weight.
enum class Gate {
  green,
  red,
  incomplete, ///< nothing is worse as far as could be judged, and not all could
};

template <>
struct Words<Gate> {
  static constexpr std::string_view kind = "gate";
  static constexpr std::array<std::string_view, 3> list{"green", "red", "incomplete"};
};

/// Whether this one verdict makes the gate red.
bool fails(CheckVerdict verdict, const FailureRules& rules);
/// A gate that judged nothing is never green, whatever is allowed.
Gate gate_of(std::span<const CheckVerdict> verdicts, const FailureRules& rules);

} // namespace gridsmith
