// SPDX-License-Identifier: Apache-2.0
// Completion of commands, options, their words, kernels of the catalogue and files, made from the
// command line itself, for three shells.
#pragma once

#include <CLI/CLI.hpp>

#include <string>
#include <vector>

namespace gridsmith {

/// "bash", "zsh", "fish"
std::vector<std::string> completion_shells();

/// The script that the shell reads. @throws InputError for another shell
std::string completion_script(const CLI::App& app, const std::string& shell);

} // namespace gridsmith
