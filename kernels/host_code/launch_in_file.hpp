// SPDX-License-Identifier: Apache-2.0
// How the host code of a file launches a kernel and allocates what it is passed, as it is written.
#pragma once

#include "gridsmith/kernels/syntax/tokens.hpp"

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace gridsmith {

/// All but the first refer to the tokens.
struct LaunchInFile {
  std::size_t place = 0; ///< of the kernel's name there, or of the call
  std::size_t grid_place = 0,
              block_place = 0;        ///< where these stand: a caller has what is a parameter
  std::size_t name = 0;               ///< of the kernel's name
  std::vector<std::string> templates; ///< "float", "256"
  std::vector<std::span<const Token>> grid, block; ///< extents along x, y, z
  std::span<const Token> shared;                   ///< bytes; empty: not written
  std::vector<std::span<const Token>> arguments;
  bool arguments_known = false; ///< else a list of them is not found
  std::string
      block_name; ///< of the variable or constant that the block is; "": it is an expression
};

/// The extents of a variable of the type dim3, as they are where it is used. Empty: it is none; an empty one is not known.
/// @param first where the function begins
std::vector<std::span<const Token>> dim3_extents(const Tokens& tokens, std::string_view name,
                                                 std::size_t first, std::size_t before);

/// Every launch of a kernel of this name, of whatever namespace and signature, in order.
std::vector<LaunchInFile> launches_named(const Tokens& tokens, const std::string& kernel);

} // namespace gridsmith
