// SPDX-License-Identifier: Apache-2.0
// tune --all: every kernel on this device.
#pragma once

#include "gridsmith/tuner/cli/outputs.hpp"
#include "gridsmith/tuner/shipping/tune_all.hpp"

#include <filesystem>
#include <vector>

namespace gridsmith {

struct TuneAllWishes {
  AllSettings settings;
  std::filesystem::path into;     ///< folder of what is shipped
  std::vector<OutputFile> writes; ///< in a format of 'gridsmith export'
  bool json = false, quiet = false, verbose = false;
};

/// @throws CommandFailed, InputError
void tune_all_kernels(const CLI::App& command, const TuneAllWishes& wishes);

} // namespace gridsmith
