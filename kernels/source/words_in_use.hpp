// SPDX-License-Identifier: Apache-2.0
// Names that a macro or a function of a source cannot have.
#pragma once

#include <set>
#include <string_view>

namespace gridsmith {

/// Words of C++20 with their alternative spellings, of expressions, and what CUDA's compiler
/// declares in every source.
const std::set<std::string_view>& words_in_use();

} // namespace gridsmith
