// SPDX-License-Identifier: Apache-2.0
// One configuration as a C++ struct of constants, for a source that is compiled for it alone.
#pragma once

#include "gridsmith/base/value.hpp"

#include <string>

namespace gridsmith {

/// "struct transpose_8192x8192 {\n  static constexpr int TILE = 64;\n…};\n". C++11, usable on the device. A
/// parameter whose name is none in C++ is named like it, and the line says which it is.
/// @pre real values are finite
std::string constants_text(const std::string& name, const Configuration& configuration);

} // namespace gridsmith
