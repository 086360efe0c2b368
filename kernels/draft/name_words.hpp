// SPDX-License-Identifier: Apache-2.0
// What a name in a source suggests.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>

namespace gridsmith {

std::string in_small_letters(std::string text);

/// Whether one of the parts, in small letters, is in the name, in letters of any kind.
bool has_word(const std::string& name, std::initializer_list<std::string_view> parts);

} // namespace gridsmith
