// SPDX-License-Identifier: Apache-2.0
// Where a program of the toolkit is.
#pragma once

#include <filesystem>
#include <initializer_list>
#include <optional>
#include <vector>

namespace gridsmith {

/// The first of these names that can be executed, in these folders and then on PATH.
std::optional<std::filesystem::path> find_program(std::initializer_list<const char*> names,
                                                  std::vector<std::filesystem::path> folders);

struct NvccPrograms {
  std::filesystem::path nvcc, host; ///< and the host compiler
};

/// @param nvcc none: of PATH, else of a toolkit in /usr/local
/// @throws HelperError naming what is missing, and where it was looked for
NvccPrograms find_nvcc(const std::optional<std::filesystem::path>& nvcc);

} // namespace gridsmith
