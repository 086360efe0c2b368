// SPDX-License-Identifier: Apache-2.0
// The page that --help shows: what a command is for, its usage, arguments and options in their
// groups, and its footer, in the width of the terminal.
#pragma once

#include <CLI/CLI.hpp>

#include <cstddef>
#include <string>
#include <vector>

namespace gridsmith {

/// @param width no line is longer where its words allow that
std::string help_page(const CLI::App& command, std::size_t width);

/// "gridsmith tune [OPTIONS] [KERNEL]"
std::string usage_of(const CLI::App& command);

/// "gridsmith tune"
std::string path_of(const CLI::App& command);
/// In the order in which they were added.
std::vector<const CLI::App*> commands_of(const CLI::App& app);

/// What stands for the value of an option or positional: "FORMAT=FILE", "N"; "" for a flag.
std::string value_name(const CLI::Option& option);
/// "-o, --out FILE", "KERNEL"
std::string option_title(const CLI::Option& option);
/// The description, with the default where one is shown.
std::string option_text(const CLI::Option& option);

struct OptionGroup {
  std::string title;
  std::vector<const CLI::Option*> options;
};

/// Positionals first, then the groups in the order of their first option; the one without a name of
/// its own ("Options") last. Hidden options are left out.
std::vector<OptionGroup> option_groups(const CLI::App& command);

/// Makes --help of the app and of all commands added after it this page.
void use_help_pages(CLI::App& app, std::size_t width);

} // namespace gridsmith
