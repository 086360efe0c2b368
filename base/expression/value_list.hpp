// SPDX-License-Identifier: Apache-2.0
// Value lists as T1 files write them: a small, closed part of Python, and nothing else of it.
#pragma once

#include "gridsmith/base/value.hpp"

#include <string_view>
#include <vector>

namespace gridsmith {

/// [1, 2], list(range(16, 257, 16)), range(…), [2**i for i in range(0, 6) if …], and concatenations
/// of these with +. @throws InputError with column
std::vector<Value> parse_value_list(std::string_view text);

} // namespace gridsmith
