// SPDX-License-Identifier: Apache-2.0
// The door to Nsight Compute's reports (.ncu-rep), which only ncu reads: it is run to write one as CSV.
#pragma once

#include "gridsmith/results/profiles/profile.hpp"

#include <filesystem>
#include <optional>
#include <vector>

namespace gridsmith {

/// By its name.
bool is_ncu_report(const std::filesystem::path& file);

/// Folders of installed toolkits and of Nsight Compute that may hold ncu, the newest first.
std::vector<std::filesystem::path> toolkit_folders();

/// Runs "ncu --import FILE --csv --page raw --print-units base" and reads what it prints; 5 minutes at
/// most. @param program ncu; none: that on PATH, else of toolkit_folders()
/// @throws InputError when there is no such file, no ncu, or ncu cannot read it
Profile read_ncu_report(const std::filesystem::path& file,
                        std::optional<std::filesystem::path> program = std::nullopt);

} // namespace gridsmith
