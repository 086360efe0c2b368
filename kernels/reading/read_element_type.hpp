// SPDX-License-Identifier: Apache-2.0
// The built-in types as definitions name them.
#pragma once

#include "gridsmith/kernels/inputs/layout.hpp"

#include <optional>
#include <string>
#include <vector>

namespace gridsmith {

/// float, int32, …; not float4 and the like.
std::vector<std::string> number_names();
/// Of a number, or of one of CUDA's vector types; none of what is neither.
std::optional<Layout> builtin_layout(const std::string& name);

} // namespace gridsmith
