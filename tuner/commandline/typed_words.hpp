// SPDX-License-Identifier: Apache-2.0
// The words of a command line before they are parsed: a command that is not the first, an option
// without a value or with an empty one, an empty argument, a list with a hole.
#pragma once

#include <CLI/CLI.hpp>

#include <string>
#include <vector>

namespace gridsmith {

/// The first fault in one line, "" where there is none; unknown options are left to the parse.
/// @param words without the program's name
std::string fault_of_words(const CLI::App& app, const std::vector<std::string>& words);

/// "--json=3" is --json.
std::string without_value(const std::string& word);

} // namespace gridsmith
