// SPDX-License-Identifier: Apache-2.0
// The program: its commands put together, what they throw told in one line, and the exit code.
#pragma once

#include "gridsmith/tuner/processes/installation.hpp"

#include <CLI/CLI.hpp>

namespace gridsmith {

/// All of them, with their options. @param installation outlives the app
void add_commands(CLI::App& app, const Installation& installation);

/// @param words as main() has them
/// @return the exit code
int run_program(int count, char** words, const Installation& installation = find_installation());

} // namespace gridsmith
