// SPDX-License-Identifier: Apache-2.0
// The compiled kernels of a baseline: files by content, beside its text or in the user's cache. They
// may be anybody's; what is read is what the text says or nothing, and it only ever runs in a confined
// worker.
#pragma once

#include "gridsmith/results/check/baseline.hpp"

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace gridsmith {

/// Above any kernel worth tuning; a file that is larger is none of ours.
inline constexpr std::int64_t largest_binary = std::int64_t{64} << 20;

/// "checks.json" -> "checks.cubins", a folder.
std::filesystem::path binaries_beside(const std::filesystem::path& baseline);

/// Written once; what has the right content already stays.
/// @throws InputError: too large. As write_packed()
OldBinary keep_binary(const std::filesystem::path& folder, std::span<const std::uint8_t> cubin,
                      const std::string& kernel);

struct FoundBinary {
  std::shared_ptr<const std::vector<std::uint8_t>> cubin; ///< none: `because` says why
  std::string because;
};

/// The first of the folders that has it. @param folders empty names are left out
FoundBinary find_binary(const std::vector<std::filesystem::path>& folders, const OldBinary& binary);

} // namespace gridsmith
