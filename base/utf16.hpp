// SPDX-License-Identifier: Apache-2.0
// Text files of other programs in UTF-16.
#pragma once

#include <string>
#include <string_view>

namespace gridsmith {

/// The text of a file in well-formed UTF-8. UTF-16 is converted, as PowerShell's '>' writes it; known
/// by its byte order mark, else by every second byte being 0 at its beginning.
std::string utf8_of_file(std::string_view bytes);

} // namespace gridsmith
