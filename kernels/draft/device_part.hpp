// SPDX-License-Identifier: Apache-2.0
// A source without its host code: what NVRTC needs of a file that also has main() and launches.
#pragma once

#include "gridsmith/kernels/source/source_bundle.hpp"

#include <set>
#include <string>

namespace gridsmith {

struct DevicePart {
  std::string text;
  std::size_t left_out = 0; ///< declarations and includes of the host
};

/// Kernels, device functions, types, constants and directives; headers of its own are in their places,
/// each once. A number that is defined under one of the names is so only where it is not yet.
/// @param names of macros and constants that become parameters
DevicePart device_part(const SourceBundle& source, const std::set<std::string>& names);

} // namespace gridsmith
