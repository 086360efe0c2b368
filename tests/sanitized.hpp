// SPDX-License-Identifier: Apache-2.0
// Whether this build has a sanitizer, which makes everything ten times slower.
#pragma once

#include <cstdlib>
#include <string>

/// As CTest says it.
inline bool sanitized() {
  const char* flags = std::getenv("GRIDSMITH_FLAGS");
  return flags && std::string(flags).find("-fsanitize") != std::string::npos;
}
