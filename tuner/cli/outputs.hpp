// SPDX-License-Identifier: Apache-2.0
// The one place that decides whether a command may write the files that it was asked to write:
// before anything runs, and by what is in them now.
#pragma once

#include <CLI/CLI.hpp>

#include <string>
#include <vector>

namespace gridsmith {

/// A file that a command was asked to write.
struct OutputFile {
  std::string option; ///< as of its command: "--csv", "--out"
  std::string file;   ///< "-": standard output
  std::string format; ///< a word of 'gridsmith export', or the option's own: "report", "trace"
};

/// Their files.
std::vector<std::string> files_of(const std::vector<OutputFile>& outputs);

/// Before hours of work. What Gridsmith wrote before may be replaced by the same kind of output. A
/// store, a source, a definition, a recording, a profile, what the command reads or writes by another
/// option are not replaced, whatever name leads to them.
/// @param command after its options were read
/// @param taken standard output has a result already (--json)
/// @throws InputError
void check_outputs(const CLI::App& command, const std::vector<OutputFile>& outputs, bool taken);

} // namespace gridsmith
