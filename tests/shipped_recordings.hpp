// SPDX-License-Identifier: Apache-2.0
// The recordings that the catalogue ships.
#pragma once

#include "gridsmith/tests/sanitized.hpp"

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <vector>

namespace gridsmith::test {

/// By path; every eighth where a sanitizer makes each ten times as long.
inline std::vector<std::filesystem::path> shipped_recordings() {
  std::vector<std::filesystem::path> all, some;
  for (const auto& entry :
       std::filesystem::recursive_directory_iterator(GRIDSMITH_SOURCE_DIR "/kernels/catalogue"))
    if (entry.path().parent_path().filename() == "recordings")
      all.push_back(entry.path());
  std::sort(all.begin(), all.end());
  for (std::size_t i = 0; i < all.size(); i += sanitized() ? 8 : 1)
    some.push_back(all[i]);
  return some;
}

} // namespace gridsmith::test
