// SPDX-License-Identifier: Apache-2.0
// The commands that the build found: each constant add_<name>_command of a source in a folder of cli/.
#pragma once

#include "gridsmith/tuner/cli/command.hpp"

#include <span>
#include <string_view>

namespace gridsmith {

struct CommandEntry {
  std::string_view folder; ///< of its source, below cli/
  AddCommand add;
};

/// By folder, then by the name of the source.
std::span<const CommandEntry> command_table();

} // namespace gridsmith
