// SPDX-License-Identifier: Apache-2.0
// The files that looking back starts from, and what of them is wanted: the same words for export,
// show and diff.
#pragma once

#include "gridsmith/results/store/holdings.hpp"
#include "gridsmith/tuner/cli/command.hpp"

#include <CLI/CLI.hpp>

#include <string>
#include <vector>

namespace gridsmith {

struct SourceOptions {
  std::vector<std::string> files = {usual_store};
  HoldingChoice choice;
};

/// --kernel and --problem.
void add_choice_options(CLI::App& command, std::string& kernel, std::string& problem);
/// The same, and --device.
void add_choice_options(CLI::App& command, HoldingChoice& choice);
/// The same, and SOURCE….
void add_source_options(CLI::App& command, SourceOptions& options);

/// holdings_of(), reports of Nsight Compute too. @throws InputError
std::vector<Holding> holdings_in(const std::string& file);

/// Why a source has nothing to choose from: "a.csv is empty".
std::string nothing_in(const std::string& file);
/// What is wanted of all files. @throws InputError
std::vector<Holding> chosen_of(const SourceOptions& options);

} // namespace gridsmith
