// SPDX-License-Identifier: Apache-2.0
// Code that was compiled before (Triton, CuTe, Numba, nvcc): a cubin is taken as it is, PTX is assembled.
#pragma once

#include "gridsmith/tuner/protocol/messages.hpp"

#include <filesystem>

namespace gridsmith {

/// Of the cubin or PTX that is the job's source, or of the one that binary_parameter chooses. An error where it is no code for this device
/// or has no such kernel; the kernel may be left unnamed where there is one alone.
/// @param libraries the folder of the toolkit's libraries, for PTX
CodeObject ready_code(const CompileJob& job, const std::filesystem::path& libraries);

} // namespace gridsmith
