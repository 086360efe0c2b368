// SPDX-License-Identifier: Apache-2.0
// What the outputs must hold: from the reference kernel or the default configuration, formulas, or a
// file.
#pragma once

#include "gridsmith/tuner/protocol/messages.hpp"
#include "gridsmith/tuner/worker/device/argument_data.hpp"

#include <cstdint>
#include <optional>
#include <string>

namespace gridsmith {

/// Whether some elements of the reference kernel's answer are computed again by formulas: once, when
/// the work is opened; it takes up to a fifth of a second.
enum class SpotCheck { no, yes };

struct ExpectedAnswer {
  /// One line: the reference disagrees with its formula, holds NaN, leaves elements unwritten, or
  /// writes where it must not.
  std::optional<std::string> problem;
  std::optional<std::uint64_t> elements_checked; ///< none: not asked for
};

/// Fills the data from `seed` and makes the expected outputs of that seed known to it. Expected
/// bytes from a file belong to the work's own seed: with them the data keeps that one.
/// @throws std::runtime_error with one line when there can be no reference: it cannot be launched,
/// faults (CudaError), does not fit the outputs, or takes the host too long.
ExpectedAnswer make_expected(const OpenWork& work, std::uint64_t seed, const Device& device,
                             const DeviceKernels& kernels, ArgumentData& data, SpotCheck spot);

} // namespace gridsmith
