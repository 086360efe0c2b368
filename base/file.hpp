// A file's whole content; gzip is unpacked, anything else is taken as it is.
#pragma once

#include <filesystem>
#include <string>

namespace gridsmith {

/// @throws InputError when the file cannot be read, or its gzip data is damaged or cut off.
std::string read_unpacked(const std::filesystem::path& file);

/// Writes the file through a temporary one beside it, so that readers see the old or the new
/// content; gzip when the name ends with ".gz". @throws InputError naming the file and why.
void write_packed(const std::filesystem::path& file, const std::string& content);

} // namespace gridsmith
