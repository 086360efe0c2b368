// SPDX-License-Identifier: Apache-2.0
// Constraints as straight programs, one per variable in the order of assignment (a level each):
// what to compute once it is known, what must hold, and which results the later levels depend on.
// Each variable, constant and result has a slot of its own: a word of the running program's state.
#pragma once

#include "gridsmith/base/intern_table.hpp"
#include "gridsmith/search/compile/constraint.hpp"
#include "gridsmith/search/compile/operation.hpp"
#include "gridsmith/search/compile/terms.hpp"

#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace gridsmith::detail {

using Slot = std::uint32_t; ///< of a word in the state of a running program

struct Instruction {
  enum class Kind : std::uint8_t {
    compute,         ///< to = op(a, b, c)
    compute_defined, ///< the same, operands known to be defined
    require,         ///< a must be true, or this value of the variable is out
    opaque,          ///< to = opaque term a
  };

  Kind kind;
  TermOp op;
  Slot to, a, b, c;
};

/// A conjunct of two variables, remembered as allowed values of the later one (a bit each) for each
/// value of the earlier one.
struct PairTable {
  static constexpr std::size_t most_values = 64; ///< of the later variable

  std::size_t earlier;                ///< level
  std::vector<Instruction> program;   ///< ends with `require`
  std::vector<std::uint64_t> allowed; ///< by position of the earlier one's value
  std::vector<std::uint8_t> known;
};

/// left op right, where left - right only grows, or only shrinks, with the variable.
struct Bisection {
  std::vector<Instruction> program; ///< computes both sides
  TermOp op;
  Slot left, right;
  bool grows;
};

/// One variable.
struct Level {
  std::uint32_t parameter = 0;
  Slot slot = 0;
  std::vector<Position> positions; ///< of its values that are not out already
  std::vector<Word> words;         ///< the same values as the terms see them
  std::vector<Instruction> program;
  std::vector<PairTable> tables;
  std::vector<Bisection> bisections;
  std::vector<Slot> state;   ///< what this and the later levels depend on, before this one
  bool changes_state = true; ///< whether the next level's state depends on this variable
  bool repeats = true;       ///< whether the same state can be reached twice
};

struct Program {
  std::vector<Level> levels;
  std::vector<Word> constants; ///< by slot, 0 where it is none: the state to start from
};

inline constexpr int before_all = -1; ///< level of a constant

/// What is known of a slot while its program is made.
struct SlotInfo {
  TermOp op = TermOp::constant;
  int level = before_all; ///< at which it is computed
  int last_use = before_all;
  bool fallible = false; ///< may be undefined
  bool real = false;
  std::array<Slot, 3> operands{}; ///< what an operation lacks of three repeats its first
  double low = 0, high = 0;       ///< bounds of the value, where it is defined
  std::uint32_t aside = 0;        ///< which of the programs kept apart computes it; 0: its level's
};

/// A conjunct that must hold at a level.
struct Requirement {
  Slot slot;
  int level;
};

/// Adds instructions to a program; each operation once per level.
class ProgramBuilder {
public:
  explicit ProgramBuilder(std::size_t levels) { program.levels.resize(levels); }

  const SlotInfo& operator[](Slot slot) const { return slots_[slot]; }

  std::size_t size() const { return slots_.size(); }

  bool is_constant(Slot slot, Word word) const {
    return slots_[slot].op == TermOp::constant && program.constants[slot] == word;
  }

  /// The variable of a level. @param words of its values that are not out already, as are positions
  Slot variable(int level, std::uint32_t parameter, bool real, std::vector<Position> positions,
                std::vector<Word> words);
  Slot constant(Word word, bool real);
  /// op(operands), computed at `level`.
  Slot operation(TermOp op, std::array<Slot, 3> operands, int level, Range range,
                 bool fallible = false);
  /// A sum or product of two, of integers or reals, with the range that follows from theirs.
  Slot combine(TermOp op, Slot a, Slot b, int level);
  /// An opaque term, computed as soon as all that it reads is known.
  Slot opaque(Word index, std::span<const Slot> reads);
  void require(Slot slot, int level);

  /// What `make` adds, kept apart from the levels' programs.
  template <class Make>
  std::vector<Instruction> aside(Make make) {
    std::vector<Instruction> instructions;
    ++asides_;
    aside_ = &instructions;
    make();
    aside_ = nullptr;
    return instructions;
  }

  void use(Slot slot, int level);

  Program program;

private:
  Slot add(const SlotInfo& info, Word word = 0);
  std::uint64_t hash_of(const SlotInfo& info, Word word) const;
  std::vector<Instruction>& instructions(int level);

  std::vector<SlotInfo> slots_;
  InternTable interned_; ///< all slots
  std::vector<Instruction>* aside_ = nullptr;
  std::uint32_t asides_ = 0;
};

} // namespace gridsmith::detail
