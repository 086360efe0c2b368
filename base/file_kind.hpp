// SPDX-License-Identifier: Apache-2.0
// What kind of file a name means, before it is read as a whole.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>

namespace gridsmith {

/// What a file begins with, at most so many bytes; "" where none can be read.
/// @throws InputError of a pipe
std::string beginning_of(const std::filesystem::path& file, std::size_t bytes);

/// Whether it is a database of SQLite, by what it begins with. @throws InputError of a pipe
bool is_sqlite(const std::filesystem::path& file);

/// A pipe can be read once, and its kind is seen by reading; one that nobody writes is waited for.
/// @throws InputError
void refuse_pipe(const std::filesystem::path& file);

} // namespace gridsmith
