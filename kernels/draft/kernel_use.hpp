// SPDX-License-Identifier: Apache-2.0
// What the body of a kernel does with its parameters, read from its text: which elements of a pointer
// are read and written, what threads stand for, what is as large as a block.
#pragma once

#include "gridsmith/kernels/host_code/polynomial.hpp"
#include "gridsmith/kernels/syntax/signature.hpp"

#include <array>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace gridsmith {

/// A value that is not below `least` and not above `most`.
struct Reach {
  Polynomial least, most;
};

/// Of names in Reach: "@block.x" threads and "@grid.x" blocks along an axis.
std::string block_symbol(std::size_t axis);
std::string grid_symbol(std::size_t axis);

struct PointerUse {
  bool read = false, written = false;
  bool escapes = false; ///< it is passed on, moved or copied: what is done with it is not seen
  bool unknown = false; ///< an index has no plain reach
  bool partly = false;  ///< it is written where data say so
  bool chooses = false; ///< its elements are indices of others, or ends of loops
  std::vector<Polynomial> reaches; ///< the last element of each index
};

struct AxisUse {
  bool threads = false, blocks = false;
  bool other_steps = false;         ///< from block to block are other steps than the block's size
  bool block_steps = false;         ///< … are steps of blockDim
  bool by_number = false;           ///< where a block writes rests on its number, in other steps
  std::optional<Polynomial> covers; ///< a guard: indices below this
};

struct KernelUse {
  std::map<std::string, PointerUse> pointers;
  std::array<AxisUse, 3> axes;
  std::set<std::string> ends;  ///< scalar parameters that end a loop or an axis
  std::set<std::string> words; ///< all
  bool block_asked = false;    ///< blockDim, or a group's size
  std::string dynamic_shared;  ///< element type of the extern shared array; "": there is none
  std::vector<std::string> shared_sizes; ///< of the other shared arrays, as they are written
};

/// @param numbers macros and constants of the source that are whole numbers
/// @param blocks by the name of a macro: the axis of which it is the block's size
KernelUse use_of(const Tokens& tokens, const KernelSignature& kernel,
                 const std::map<std::string, std::int64_t>& numbers,
                 const std::map<std::string, std::size_t>& blocks);

} // namespace gridsmith
