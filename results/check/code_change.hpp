// SPDX-License-Identifier: Apache-2.0
// What two compilations of one kernel differ in, in words: "32 → 40 registers", "LDG.128 → LDG.32".
// Nothing here is measured, so nothing here says how much slower it is; but nothing is by chance
// either, and each difference is one.
#pragma once

#include "gridsmith/base/words.hpp"
#include "gridsmith/results/check/baseline.hpp"
#include "gridsmith/results/check/verdict.hpp"

#include <span>
#include <string>
#include <vector>

namespace gridsmith {

enum class CodeEffect {
  worse,   ///< costs time or room unless something else makes up for it
  changed, ///< could be either
  better,
};

template <>
struct Words<CodeEffect> {
  static constexpr std::string_view kind = "effect of a change of code";
  static constexpr std::array<std::string_view, 3> list{"worse", "changed", "better"};
};

struct CodeChange {
  CodeEffect effect = CodeEffect::changed;
  std::string what; ///< "32 → 40 registers"
};

/// Resources first, then accesses, loops and instructions; empty: the code is the same but for names.
/// Worse are more registers, memory of any kind, spills, double arithmetic, 10 % more instructions;
/// lower occupancy, narrower accesses, fewer loads in flight, 5 points more overhead in the hottest
/// loop.
std::vector<CodeChange> code_changes(const BaselineEntry& before, const BaselineEntry& now);

/// None: the same. One that is worse: changed. Else different.
CheckVerdict verdict_of(std::span<const CodeChange> changes);

/// What is worse before the rest.
std::vector<std::string> words_of(std::span<const CodeChange> changes);

/// "32 → 40 registers; occupancy 100 → 75 %; LDG.128 → LDG.32", in the same order.
std::string to_text(std::span<const CodeChange> changes);

} // namespace gridsmith
