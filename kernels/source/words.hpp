// SPDX-License-Identifier: Apache-2.0
// The identifiers of a text, found without a preprocessor.
#pragma once

#include <set>
#include <string>
#include <string_view>

namespace gridsmith {

using WordSet = std::set<std::string, std::less<>>;

/// Adds all identifiers of a text, in code or not.
void add_words(std::string_view text, WordSet& words);

/// Likewise, but for comments: those of texts between quotes are there, as a pragma may be one.
void add_code_words(std::string_view text, WordSet& words);

/// Whether the two words stand one behind the other, with blanks between, in code.
bool is_in_code(std::string_view text, std::string_view first, std::string_view second);

} // namespace gridsmith
