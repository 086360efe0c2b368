// SPDX-License-Identifier: Apache-2.0
// Which of a definition's compiler options say where headers are. They are answered here and not by
// the compiler, because headers travel with the source, by content.
#pragma once

#include <string>
#include <vector>

namespace gridsmith {

/// Options, by what they say of headers.
struct HeaderWords {
  std::vector<std::string> folders; ///< -I, --include-path, in order
  std::vector<std::string> before;  ///< --pre-include: included before the first line
  std::vector<std::string> others;  ///< the rest, as they were
  std::vector<std::string> defined; ///< values of -D, without quotes or brackets: maybe headers
};

/// Knows each form: "-Ix", "-I=x", "--include-path=x", and the value as the next word.
HeaderWords header_options(const std::vector<std::string>& options);

} // namespace gridsmith
