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

} // namespace gridsmith
