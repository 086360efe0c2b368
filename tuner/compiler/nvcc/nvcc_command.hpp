// SPDX-License-Identifier: Apache-2.0
// A compilation as one would type it.
#pragma once

#include "gridsmith/tuner/protocol/messages.hpp"

#include <string>

namespace gridsmith {

/// nvcc with the options of the job, in the folder of the source.
std::string nvcc_command(const CompileJob& job);

} // namespace gridsmith
