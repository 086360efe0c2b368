// SPDX-License-Identifier: Apache-2.0
// How a definition's file is named to a person.
#pragma once

#include <filesystem>
#include <string>

namespace gridsmith {

/// As typed, below the current folder as seen from there, in the catalogue "transpose.json of the catalogue",
/// else the whole path.
std::string shown_file(const std::filesystem::path& file, const std::filesystem::path& catalogue);

} // namespace gridsmith
