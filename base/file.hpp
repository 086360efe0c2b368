// SPDX-License-Identifier: Apache-2.0
// Whole files in and out; gzip is unpacked and packed, anything else is taken as it is.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>

namespace gridsmith {

/// Unpacked size that readers take: six times the largest recording known (44 MB).
inline constexpr std::size_t largest_file = std::size_t{256} << 20;

/// @throws InputError when the file cannot be read, its gzip data is damaged or cut off, or its
/// content has more than `most` bytes; never more than those are unpacked.
std::string read_unpacked(const std::filesystem::path& file, std::size_t most = largest_file);

/// The content as a gzip file of it has it, the same bytes for the same content.
std::string gzip_of(const std::string& content);

/// Writes the file, packed when the name ends with ".gz". What is absent or a regular file appears
/// through a temporary one beside it, on the disk before it takes the place, so that readers see the
/// old or the new content; a link stays one and its target is written; a device, a pipe or an open
/// descriptor (/dev/fd/3) is written to.
/// @throws InputError when it cannot be opened, Error when what was opened does not take it all.
void write_packed(const std::filesystem::path& file, const std::string& content);

/// Whether write_packed() could begin, for before hours of work; leaves nothing behind.
/// @throws InputError naming the file and why not.
void check_writable(const std::filesystem::path& file);

} // namespace gridsmith
