// SPDX-License-Identifier: Apache-2.0
// A source without its host code: what NVRTC needs of a file that also has main() and launches.
#pragma once

#include "gridsmith/kernels/source/source_bundle.hpp"

#include <string>

namespace gridsmith {

struct DevicePart {
  std::string text;
  std::size_t left_out = 0; ///< declarations and includes of the host
};

/// Kernels, device functions, types, constants and directives; headers of its own are in their places,
/// each once.
DevicePart device_part(const SourceBundle& source);

} // namespace gridsmith
