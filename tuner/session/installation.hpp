// Where the helper programs and the catalogue are: below the prefix that this program is in. A build
// tree is laid out like an installed one.
#pragma once

#include <filesystem>

namespace gridsmith {

struct Installation {
  std::filesystem::path programs;  ///< folder of worker and compiler; empty: not found
  std::filesystem::path catalogue; ///< kernels with their recordings; empty: not found
};

Installation find_installation();

} // namespace gridsmith
