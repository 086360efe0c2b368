// SPDX-License-Identifier: Apache-2.0
// What was wrong with the words of a command line, in one line: the word, and the valid choices.
#pragma once

#include <CLI/CLI.hpp>

#include <string>
#include <vector>

namespace gridsmith {

/// @param app after the parse that threw `error`
/// @param words those that were parsed, without the program's name
std::string usage_error(const CLI::App& app, const CLI::ParseError& error,
                        const std::vector<std::string>& words);

} // namespace gridsmith
