// SPDX-License-Identifier: Apache-2.0
// The recordings shipped with the catalogue: <kernel>/recordings/<problem>__<device>.json[.gz]
#pragma once

#include "gridsmith/kernels/definition/definition.hpp"
#include "gridsmith/results/measurement/recording.hpp"

#include <filesystem>
#include <span>
#include <string>

namespace gridsmith {

/// The shipped recording of a kernel of the catalogue and a problem. A definition elsewhere has none,
/// whatever its name.
/// @param because why there is no device, in words
/// @throws NoSuchDevice naming what there is instead.
std::filesystem::path find_recording(const std::filesystem::path& catalogue,
                                     const KernelDefinition& definition, const std::string& problem,
                                     const std::string& because);

/// read_recording(), which of a profile says how it becomes a recording.
/// @throws InputError
Recording open_recording(const std::filesystem::path& file);

/// A recording of one kernel and problem says nothing of another: what was asked for has to be what
/// the file says it is of, as far as it says so. @throws InputError
void check_recording(const Recording& recording, const std::filesystem::path& file,
                     const KernelDefinition& definition, std::span<const ProblemSize> problems);

} // namespace gridsmith
