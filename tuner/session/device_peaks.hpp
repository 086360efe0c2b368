// SPDX-License-Identifier: Apache-2.0
// What the devices of this machine reach: measured now, or kept in a store from earlier.
#pragma once

#include "gridsmith/metrics/device/peaks.hpp"
#include "gridsmith/tuner/gpu/peak_run.hpp"

#include <filesystem>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>

namespace gridsmith {

/// Called with messages meanwhile, in the thread that measures. Both may be empty.
struct PeakListener {
  PeakProgress progress = {};
  std::function<void(const std::string&)> note = {}; ///< one line that a person should read
};

/// Measures all of peak_words on one device, some ten seconds, and stores them; they replace those that the
/// store held under the same names for this board. After a stop: what was measured until then.
/// @param number of the CUDA device
/// @param file a store; none: nothing is kept
/// @throws NoSuchDevice, WorkerRefused, HelperError, InputError, StoreError (before anything is
/// measured where the store cannot be opened)
MeasuredPeaks measure_peaks(int number, const std::optional<std::filesystem::path>& file,
                            const HelperSettings& helpers, const std::stop_token& stop = {},
                            const PeakListener& listener = {});

} // namespace gridsmith
