// Where things are: the three programs beside each other, kernels/ and results/recorded/ found by
// walking up from them (a build tree) or from the current folder.
#pragma once

#include <filesystem>

namespace gridsmith {

struct Installation {
  std::filesystem::path programs;   ///< folder of this program and its siblings
  std::filesystem::path kernels;    ///< the catalogue; empty: not found
  std::filesystem::path recordings; ///< shipped recordings; empty: not found
};

Installation find_installation();

} // namespace gridsmith
