// SPDX-License-Identifier: Apache-2.0
// Where in a source a kernel begins, for those who report about it.
#pragma once

#include <string_view>

namespace gridsmith {

/// The line, from 1, on which a __global__ function of this name has its name. 0: the source has
/// none, or one that a macro writes.
/// @param kernel as in a definition: "scale", "ns::scale", "scale<float, TILE>"
int kernel_line(std::string_view source, std::string_view kernel);

} // namespace gridsmith
