// SPDX-License-Identifier: Apache-2.0
// Where the helper programs and the catalogue are: below the prefix that this library is in. A build
// tree is laid out like an installed one.
#pragma once

#include <filesystem>

namespace gridsmith {

struct Installation {
  /// Folder of gridsmith-worker and gridsmith-compiler; empty: not found.
  std::filesystem::path programs;
  /// Kernels with their recordings; empty: not found.
  std::filesystem::path catalogue;
};

/// A static library in a program that was started by its bare name does not know where it is: there
/// the session's setting says it.
Installation find_installation();

} // namespace gridsmith
