// SPDX-License-Identifier: Apache-2.0
// Problem sizes as people and applications list them: words of a command line, or a file.
#pragma once

#include "gridsmith/kernels/definition/definition.hpp"

#include <string>
#include <vector>

namespace gridsmith {

struct SizeList {
  std::vector<ProblemSize> problems; ///< each once
  std::vector<double> weights;       ///< of each, above 0; 1 where none was given
};

/// "all" (the definition's), "1024x1024,4096x4096", or the name of a file: a size a line with its
/// weight behind it where it has one, or {"problem": [1024, 1024], "weight": 2} as an application
/// records it; empty lines and what follows a # are left out. The weights of a size that comes
/// again are added.
/// @throws InputError for what is no size of this definition or no weight, with file and line
SizeList size_list(const std::string& text, const KernelDefinition& definition);

} // namespace gridsmith
