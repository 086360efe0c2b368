// SPDX-License-Identifier: Apache-2.0
// The template's arguments that the host code of a file launches a kernel with: written, deduced from what is passed, and
// through the template of the function that launches it.
#pragma once

#include "gridsmith/kernels/host_code/launch_in_file.hpp"
#include "gridsmith/kernels/syntax/signature.hpp"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace gridsmith {

struct LaunchTemplates {
  std::vector<std::string> arguments; ///< of the kernel; "": not known
  std::vector<std::size_t> places;    ///< where each is written
  /// Of the template of the function that launches it, by parameter: as its first call in the file has them.
  std::map<std::string, std::string> of_function;
};

/// @param launch of the kernel, in these tokens
LaunchTemplates launch_templates(const Tokens& tokens, const KernelSignature& kernel,
                                 const std::optional<LaunchInFile>& launch);

} // namespace gridsmith
