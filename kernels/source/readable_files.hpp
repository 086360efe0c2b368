// SPDX-License-Identifier: Apache-2.0
// Which files a definition may read: regular ones below certain folders, decided by where they
// really are, and none that is hidden there: keys and settings lie in such.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace gridsmith {

/// Folders and single files with their links resolved; a file may be read, and what is below a folder
/// by names of which none is hidden.
using ReadableFolders = std::vector<std::filesystem::path>;

/// What several definitions may read: each folder once.
void join(ReadableFolders& all, const ReadableFolders& more);

/// Whether a name in a folder begins with a dot.
bool is_hidden(const std::filesystem::path& name);

/// No source is so long; a file of this many bytes is something else.
constexpr std::uint64_t longest_source = 16u << 20;

/// The file with its links resolved, whether or not it exists. @throws InputError: it is elsewhere.
std::filesystem::path readable_file(const std::filesystem::path& file,
                                    const ReadableFolders& folders);
/// A folder likewise. The include folder of a CUDA toolkit, which may be read, joins the others.
std::filesystem::path readable_folder(const std::filesystem::path& folder,
                                      ReadableFolders& folders);

/// The first bytes of a regular file, at most that many; nothing when there is none, or it cannot be
/// read.
std::optional<std::string> read_start(const std::filesystem::path& file, std::uint64_t most);
/// The content of a regular file; nothing when there is none, or it cannot be read.
/// @throws InputError when it is longer than that many bytes.
std::optional<std::string> read_regular(const std::filesystem::path& file, std::uint64_t longest);

} // namespace gridsmith
