// The terms of one group as straight programs, one per variable in the order of assignment: what to
// compute once it is known, what must hold, and which results the later ones depend on.
#pragma once

#include "gridsmith/search/compile/compiler.hpp"
#include "gridsmith/search/compile/order.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace gridsmith::detail {

using Slot = std::uint32_t; ///< of a word in the state of a running program

struct Instruction {
  enum class Kind : std::uint8_t {
    compute,       ///< to = op(a, b, c)
    compute_plain, ///< the same, arguments known to have answers
    require,       ///< a must be true, or this value of the variable is out
    opaque,        ///< to = opaque term a
  };

  Kind kind;
  TermOp op;
  Slot to, a, b, c;
};

/// A conjunct of two variables, remembered as allowed values of the later one (a bit each) for each
/// value of the earlier one.
struct PairTable {
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

/// @param values the values of a variable that are not out already: positions and words, by TermId
/// @param prune also check bounds that every completion must keep
Program make_program(ConstraintCompiler& compiler, const Group& group,
                     std::span<const std::vector<Position>> values, bool prune);

} // namespace gridsmith::detail
