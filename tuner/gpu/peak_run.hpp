// SPDX-License-Identifier: Apache-2.0
// One run of a worker that measures peaks: its code compiled, the worker started, its answers
// collected. A peak that kills or hangs the worker is left out, and a new one measures the rest.
#pragma once

#include "gridsmith/metrics/device/peaks.hpp"
#include "gridsmith/tuner/processes/helper_settings.hpp"

#include <chrono>
#include <cstddef>
#include <functional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace gridsmith {

/// A peak that this device does not have, or that could not be measured.
struct MissingPeak {
  std::string name;
  std::string reason; ///< one line
};

struct MeasuredPeaks {
  Peaks peaks;                      ///< in the order of peak_words
  std::vector<MissingPeak> missing; ///< without those that a stop came before
};

/// Called before each peak: its name, how many were done, how many there are.
using PeakProgress = std::function<void(std::string_view, std::size_t, std::size_t)>;

/// All of peak_words. A stop ends within a fifth of a second, with what was measured so far.
/// @param limit of the worker's start, and of one peak
/// @throws WorkerRefused (no device, no memory), HelperError, InputError as CompilerPool
MeasuredPeaks run_peaks(const Device& device, const HelperSettings& helpers,
                        const PeakProgress& progress, const std::stop_token& stop,
                        std::chrono::milliseconds limit = std::chrono::seconds(20));

} // namespace gridsmith
