// SPDX-License-Identifier: Apache-2.0
// How different two problem sizes are.
#pragma once

#include <string_view>

namespace gridsmith {

/// Sum over the extents of |log2(a / b)|: 1 for twice as much along one extent. Infinite when the
/// two have different numbers of extents; 0 for equal texts.
double problem_distance(std::string_view a, std::string_view b);

} // namespace gridsmith
