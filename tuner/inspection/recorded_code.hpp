// SPDX-License-Identifier: Apache-2.0
// The code of a configuration that was measured before, compiled again.
#pragma once

#include "gridsmith/results/measurement/recording.hpp"
#include "gridsmith/tuner/inspection/inspection.hpp"

#include <optional>
#include <string>

namespace gridsmith {

/// Whether facts of two compilations can be of one code. What one of them does not state is no difference: no value, and
/// 0 of all but static shared memory.
bool may_be_same(CompileFacts now, const CompileFacts& then);

/// The definition as it is now, compiled with lines. Nothing without a compiler, and where what comes out takes
/// other resources than what was measured: then it is not its code.
std::optional<Inspection> inspect_recorded(const KernelDefinition& definition,
                                           const std::string& problem, const Device& device,
                                           const Measurement& recorded,
                                           const HelperSettings& helpers);

} // namespace gridsmith
