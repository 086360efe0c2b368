// SPDX-License-Identifier: Apache-2.0
// A kernel of a source that is tuned without a definition of a person's: what the file says is drafted, the rest are options.
#pragma once

#include "gridsmith/kernels/definition/definition.hpp"
#include "gridsmith/tuner/session/session.hpp"

#include <CLI/CLI.hpp>

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace gridsmith {

/// As they were typed.
struct FileOptions {
  std::string kernel;
  std::vector<std::string> set, arguments, fields, sources, macros;
  std::optional<std::string> run;
  std::string grid, block, shared;
  std::string reference;
  std::string write; ///< file of the definition; "": it is not kept
  bool guess = false;
};

void add_file_options(CLI::App& command, FileOptions& options);

struct SourceDraft {
  std::shared_ptr<const KernelDefinition> definition;
  std::string text; ///< what was drafted and what is put into the source, for people
};

/// Nothing where the session's kernel is no source. Writes the definition where that is asked for.
/// @param session without problems: as the file launches the kernel
/// @throws InputError: options of a source without one, what cannot be drafted, and what the file does not say
std::optional<SourceDraft> draft_source(const CLI::App& command, const FileOptions& options,
                                        const SessionSettings& session);

} // namespace gridsmith
