// Where things are: the three programs beside each other, the catalogue found by walking up from
// them (a build tree) or from the current folder.
#pragma once

#include <filesystem>

namespace gridsmith {

struct Installation {
  std::filesystem::path helpers;   ///< folder of gridsmith-worker and gridsmith-compiler
  std::filesystem::path catalogue; ///< kernels with their recordings; empty: not found
};

Installation find_installation();

} // namespace gridsmith
