// SPDX-License-Identifier: Apache-2.0
// A kernel among several that are shipped together: each of its sizes has its own choice.
#pragma once

#include "gridsmith/tuner/session/run.hpp"
#include "gridsmith/tuner/session/sources.hpp"

#include <filesystem>
#include <string>

namespace gridsmith {

/// Without problems.
/// @param settings of all kernels; what is one kernel's own is set here
/// @throws InputError: the definition cannot be read
RunKernel shipped_kernel(SessionSettings settings, const std::filesystem::path& definition);

/// Finds out where this problem is measured. Where there is neither device nor recording, it is left out.
/// @return why it was left out; "": it was not. @throws InputError
std::string add_problem(RunKernel& kernel, const ProblemSize& problem, Sources& sources);

} // namespace gridsmith
