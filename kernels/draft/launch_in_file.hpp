// SPDX-License-Identifier: Apache-2.0
// How the host code of a file launches a kernel, where it is written plainly.
#pragma once

#include "gridsmith/kernels/draft/tokens.hpp"

#include <optional>
#include <string>
#include <vector>

namespace gridsmith {

struct LaunchInFile {
  std::vector<std::string> templates; ///< "float", "256"
  std::vector<std::string> block;     ///< extents along x, y, z as they are written
  std::vector<std::string>
      arguments; ///< numbers where they are written so, or a constant of the file is passed; else ""
};

/// The first launch of the kernel that says anything; nothing where there is none.
std::optional<LaunchInFile> launch_of(const Tokens& tokens, const std::string& kernel);

} // namespace gridsmith
