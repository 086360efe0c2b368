// SPDX-License-Identifier: Apache-2.0
// Which Gridsmith this is.
#pragma once

#include <string_view>

namespace gridsmith {

/// The version of the build, "0.1.0".
std::string_view version();

} // namespace gridsmith
