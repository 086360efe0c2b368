// SPDX-License-Identifier: Apache-2.0
// Where this process runs, as its system's files and its environment say it.
#pragma once

#include "gridsmith/metrics/counters/counter_remedy.hpp"

#include <filesystem>
#include <string>
#include <vector>

namespace gridsmith {

/// Never throws: what cannot be read is not known. Devices and helpers are the caller's to add.
/// @param system folder below which /proc, /run and /.dockerenv are looked for
/// @param environment entries "NAME=value"
Surroundings read_surroundings(const std::filesystem::path& system,
                               const std::vector<std::string>& environment);

/// Of the SMs that MPS lets the processes use that we start: CUDA_MPS_ACTIVE_THREAD_PERCENTAGE. None: all,
/// as far as this environment says.
std::optional<double> mps_percent(const std::vector<std::string>& environment);

} // namespace gridsmith
