// SPDX-License-Identifier: Apache-2.0
// What is in a folder. A range-for over a directory_iterator throws at its second step, whatever
// error_code the first was given; these do not.
#pragma once

#include <filesystem>
#include <system_error>
#include <vector>

namespace gridsmith {

/// As far as it can be read; `error` says why not all of it.
std::vector<std::filesystem::directory_entry> entries_of(const std::filesystem::path& folder,
                                                         std::error_code& error);

/// … and of the folders below it.
std::vector<std::filesystem::directory_entry>
entries_below(const std::filesystem::path& folder, std::error_code& error,
              std::filesystem::directory_options options = {});

} // namespace gridsmith
