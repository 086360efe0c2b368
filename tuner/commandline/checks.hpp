// SPDX-License-Identifier: Apache-2.0
// What an option's value may be, checked while the words are read. A refusal names the value and
// what is valid; the words of a list are in help, completion and manual too.
#pragma once

#include "gridsmith/base/ranges.hpp"

#include <CLI/CLI.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace gridsmith {

/// A whole number from `least` to `most`, told from a negative and a cut-off one.
CLI::Validator count_from(std::uint64_t least, std::uint64_t most = any_count);

/// A number above 0, at most `most`; neither infinity nor nan.
CLI::Validator positive_number(double most);

/// One of the words; another is refused with the nearest. @param kind "strategy"
CLI::Validator one_of(const std::string& kind, const std::vector<std::string>& words);

/// "--json=3" is refused, for the flags of all commands that the app has by now.
void refuse_values_of_flags(CLI::App& app);

/// These are offered by completion, with others as good.
CLI::Validator suggested(const std::vector<std::string>& words);

/// The words of one_of() or suggested() of this option or positional, none where it has neither.
std::vector<std::string> words_of(const CLI::Option& option);

} // namespace gridsmith
