// SPDX-License-Identifier: Apache-2.0
// Problem sizes as people and applications list them: words of a command line, or a file.
#pragma once

#include "gridsmith/kernels/definition/definition.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace gridsmith {

struct SizeList {
  std::vector<ProblemSize> problems; ///< each once
  std::vector<double> weights;       ///< of each, above 0; 1 where none was given
  std::size_t adds = 0;              ///< "auto": at most so many are added by the search
};

/// Items with commas between them, each "all" (the definition's), "auto" (alone the definition's too) or as
/// size_pattern() reads it; or the name of a file: a size a line with its weight behind it where it has one, or {"problem": [1024, 1024],
/// "weight": 2} as an application records it, or {"kernel": "transpose", "problem": "1024x1024"} as a
/// generated header does. Left out are empty lines, what follows a #, lines of another kernel, and recorded
/// problems with an extent of 0. The weights of a size that comes again are added.
/// @throws InputError for what is no size of this definition or no weight, with file and line, and for a
/// list of more than some thousands
SizeList size_list(const std::string& text, const KernelDefinition& definition);

/// The same for kernels of any number of extents, a range alone as 1, 2 and 3 equal ones; empty: "all".
/// @throws InputError
std::vector<ProblemSize> sizes_for_all(const std::string& text);

} // namespace gridsmith
