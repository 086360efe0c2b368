// SPDX-License-Identifier: Apache-2.0
// What to do about errors of NVRTC that say nothing to who has a file for nvcc: code of the host, and names
// that the host's headers would have. Pure functions.
#pragma once

#include "gridsmith/kernels/source/source_bundle.hpp"

#include <string>

namespace gridsmith {

/// The same error, in our words where it is about code of the host, with a hint behind it where a
/// header's name is missing; any other as it is.
/// @param error one line: "file(3): error: …"
std::string with_hint(const std::string& error);

/// That the source has no such kernel, and what it has instead.
/// @param kernel as in a definition
/// @param error of the compiler, without its place
std::string unknown_kernel(const SourceFile& source, const std::string& kernel,
                           const std::string& error);

} // namespace gridsmith
