// SPDX-License-Identifier: Apache-2.0
// What the outputs must hold: from the reference kernel or the default configuration, formulas, or a
// file.
#pragma once

#include "gridsmith/tuner/protocol/messages.hpp"
#include "gridsmith/tuner/worker/device/argument_data.hpp"

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

namespace gridsmith {

struct ExpectedAnswer {
  /// One line: the reference disagrees with its formula, holds NaN, leaves elements unwritten, or
  /// writes where it must not.
  std::optional<std::string> problem;
  std::optional<std::uint64_t>
      elements_checked;             ///< of the reference kernel's answer; none: not asked for
  std::uint64_t computed_again = 0; ///< elements on the host, of any kind of answer
  std::optional<WrittenPart> only_written = {}; ///< none: the kernel writes all, or must
};

/// Which elements of the outputs are verified, before anything is expected of them.
/// @throws Error: an element of which it cannot be said, EvaluationError
void choose_verified(const OpenWork& work, const DeviceKernels& kernels, ArgumentData& data);

/// Fills the data from `seed` and makes the expected outputs of that seed known to it. Expected
/// bytes from a file belong to the work's own seed: with them the data keeps that one.
/// @param spot_limit how long elements of the answer are computed again on the host (spot_check()); 0: none are
/// @throws std::runtime_error with one line when there can be no reference: it cannot be launched,
/// faults (CudaError), does not fit the outputs, or takes the host too long.
ExpectedAnswer make_expected(const OpenWork& work, DataSeed seed, const Device& device,
                             const DeviceKernels& kernels, ArgumentData& data,
                             std::chrono::milliseconds spot_limit);

} // namespace gridsmith
