// SPDX-License-Identifier: Apache-2.0
// In how many passes counters are read on a chip, as the worker plans it: no GPU is needed.
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace gridsmith {

struct CounterPasses {
  std::size_t passes = 0;
  std::vector<std::string> rejected; ///< names that CUPTI does not accept for the chip
};

/// Nothing where there is no worker, or it has no CUPTI. @throws InputError: CUPTI does not know the chip
/// @param helpers folder of gridsmith-worker
/// @param names CUPTI's, with rollup
std::optional<CounterPasses> plan_passes(const std::filesystem::path& helpers,
                                         const std::string& chip,
                                         const std::vector<std::string>& names);

/// What counting adds to each configuration beside the kernel's own time, in a session of 64. Measured
/// on an H200, 2026-11-22.
double counting_ms(std::size_t passes);

} // namespace gridsmith
