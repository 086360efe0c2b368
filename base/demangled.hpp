// SPDX-License-Identifier: Apache-2.0
// Names of functions as people write them.
#pragma once

#include <string>

namespace gridsmith {

/// "ln::layernorm<float, 128>(float*)" of the name that a linker sees; what is no such name stays.
std::string demangled(const std::string& lowered);

} // namespace gridsmith
