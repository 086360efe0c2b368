// SPDX-License-Identifier: Apache-2.0
// Text files of other programs, in UTF-16 or with a byte order mark.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace gridsmith {

/// The text of a file in well-formed UTF-8. UTF-16 is converted, as PowerShell's '>' writes it; known
/// by its byte order mark, else by every second byte being 0 at its beginning. A mark of UTF-8 is left out.
std::string utf8_of_file(std::string_view bytes);

/// The same of a file, unpacked. @throws InputError as read_unpacked() does
std::string read_as_utf8(const std::filesystem::path& file);

} // namespace gridsmith
