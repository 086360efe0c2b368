// SPDX-License-Identifier: Apache-2.0
// A source without its host code: what NVRTC needs of a file that also has main() and launches.
#pragma once

#include "gridsmith/kernels/source/source_bundle.hpp"

#include <string>
#include <string_view>

namespace gridsmith {

struct DevicePart {
  std::string text;
  std::size_t left_out = 0; ///< declarations and includes of the host
};

/// The option by which NVRTC takes for the device what is not marked, such as the members of a kept type.
inline constexpr std::string_view all_is_of_device = "-default-device";

/// Kernels, device functions, types, constants and directives; headers of its own are in their places,
/// each once.
DevicePart device_part(const SourceBundle& source);

} // namespace gridsmith
