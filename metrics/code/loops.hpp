// SPDX-License-Identifier: Apache-2.0
// Loops of machine code, found from its branches: a loop is all that leads back to a place that
// every way into it passes. Code that the compiler only moved to the end is none.
#pragma once

#include "gridsmith/metrics/code/instruction.hpp"

#include <cstddef>
#include <span>
#include <vector>

namespace gridsmith {

struct CodeLoop {
  std::size_t head = 0;          ///< first instruction of each turn, a position in the code
  std::vector<std::size_t> body; ///< positions of all its instructions, inner loops' too, ascending
  int depth = 1;                 ///< 1: in no other loop of the same function
  bool innermost = true;
};

/// In the order of their heads. Branches by a register may go to any place that nothing else leads
/// to, calls return, and a branch to itself is where code ends, not a loop.
std::vector<CodeLoop> find_loops(std::span<const MachineInstruction> code);

} // namespace gridsmith
