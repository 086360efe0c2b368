// SPDX-License-Identifier: Apache-2.0
// The words of `tune` on the command line, and what they ask of a session.
#pragma once

#include "gridsmith/tuner/cli/command.hpp"
#include "gridsmith/tuner/cli/tuning/tune_source.hpp"
#include "gridsmith/tuner/cli/tuning/watching.hpp"
#include "gridsmith/tuner/cli/words.hpp"
#include "gridsmith/tuner/session/session.hpp"

#include <CLI/CLI.hpp>

#include <string>
#include <vector>

namespace gridsmith {

/// A session's settings, and what is the program's own.
struct TuneOptions {
  SessionSettings session = {.kernel = "", .store = usual_store};
  FileOptions source;
  int gpu = 0;
  std::string devices; ///< "": the one above
  std::string sizes;
  std::vector<int> clocks; ///< one: of all; several: of the finalists
  std::string across = "each";
  std::optional<std::size_t> calibrate; ///< none: as usual
  std::vector<std::string> all, from;   ///< of --all
  std::string into = "tuned";
  bool slurm = false, print = false;
  std::vector<std::string> for_tasks; ///< options of --all that each task of a batch job has
  std::vector<OutputFile> writes;     ///< in a format of 'gridsmith export'
  std::string trace;                  ///< file; "": none
  std::string report;
  WatchOptions watch;
  double interval_percent = 100 * Sampling{}.interval;
  bool exhaustive = false, full = false, no_store = false;
  bool json = false, quiet = false, verbose = false;

  /// The files that are written beside the answer.
  std::vector<OutputFile> outputs() const;
  /// Whether people are shown the answer: neither JSON nor a file takes its place, and quiet is not asked for.
  bool prints_answer() const;
};

/// @param options filled when the command line is read; outlives the command
void add_tune_options(CLI::App& command, TuneOptions& options);
/// What the command as a whole tells once it is read: which options were given.
void note_given(const CLI::App& command, TuneOptions& options);

/// @throws InputError
SessionSettings settings_of(const TuneOptions& options, const Installation& installation);

} // namespace gridsmith
