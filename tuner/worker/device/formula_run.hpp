// SPDX-License-Identifier: Apache-2.0
// All elements of an output by its formula, on the device.
#pragma once

#include "gridsmith/tuner/worker/device/device_kernels.hpp"

#include <chrono>
#include <cstdint>
#include <optional>
#include <vector>

namespace gridsmith {

struct FormulaRun {
  bool late = false;                     ///< some elements were not done within the limit
  std::optional<std::uint64_t> no_value; ///< the first element that has none
};

/// @param program of kind `exact` @param sources of its vectors, filled
/// @param to device memory for `count` elements of `type`, one after the other. Waits.
/// @throws CudaError
FormulaRun run_on_device(const DeviceKernels& kernels, const std::vector<FormulaStep>& program,
                         const std::vector<FormulaSource>& sources, ElementType type,
                         std::uint64_t count, void* to, std::chrono::nanoseconds limit);

} // namespace gridsmith
