// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/base/version.hpp"

namespace gridsmith {

std::string_view version() {
  return GRIDSMITH_VERSION; // set by base/CMakeLists.txt from the project's version
}

} // namespace gridsmith
