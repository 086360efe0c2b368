// SPDX-License-Identifier: Apache-2.0
// Code that was compiled before (Triton, CuTe, Numba, nvcc): taken as it is.
#pragma once

#include "gridsmith/tuner/protocol/messages.hpp"

namespace gridsmith {

/// Of the cubin that is the job's source, or of the one that binary_parameter chooses. An error where it is no cubin of this device
/// or has no such kernel; the kernel may be left unnamed where there is one alone.
CodeObject ready_code(const CompileJob& job);

} // namespace gridsmith
