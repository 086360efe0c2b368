// SPDX-License-Identifier: Apache-2.0
// Which launch of a file is a kernel's, where others have its name: by the namespaces that the launch names or stands
// in, and by what is passed.
#pragma once

#include "gridsmith/kernels/host_code/launch_in_file.hpp"
#include "gridsmith/kernels/syntax/signature.hpp"

#include <optional>
#include <span>
#include <string>

namespace gridsmith {

struct KernelLaunch {
  /// The first of those in most loops, as their author times that; nothing: there is none.
  std::optional<LaunchInFile> launch;
  std::size_t loops = 0; ///< that are around it
  std::size_t count = 0; ///< of those that are the kernel's
  std::string doubt;     ///< "": none that might as well be another kernel's was passed over
};

/// @param kernels of these tokens, the kernel among them
KernelLaunch launch_of(const Tokens& tokens, std::span<const KernelSignature> kernels,
                       const KernelSignature& kernel);

/// Those that have no default.
std::size_t least_arguments(const KernelSignature& kernel);

} // namespace gridsmith
