// SPDX-License-Identifier: Apache-2.0
// What compute-sanitizer writes of a kernel, as text.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace gridsmith {

struct SanitizerLog {
  bool whole = false;       ///< it has a summary: the tool worked to its end
  std::size_t findings = 0; ///< that name the kernel
  std::string first;        ///< "Invalid __global__ write of size 4 bytes"
};

/// @param kernel as the log names it: its name, or a part that is in no other
SanitizerLog read_sanitizer_log(std::string_view log, std::string_view kernel);

} // namespace gridsmith
