// SPDX-License-Identifier: Apache-2.0
// Parameters that nothing of a kernel asks for. Pure functions.
#pragma once

#include "gridsmith/kernels/definition/instance.hpp"

#include <string>
#include <vector>

namespace gridsmith {

/// Names of parameters with several values that occur in no token of the source and its headers, nor in
/// the kernel's name, the launch, the needs of arguments, the conditions or the compiler's options. What
/// headers of the toolkit ask for is not known here. Nothing where the source could not be read.
std::vector<std::string> unused_parameters(const KernelInstance& instance);

/// Likewise, but for those that a condition names: their values change which configurations there are, and no
/// launch.
std::vector<std::string> parameters_of_conditions_alone(const KernelInstance& instance);

/// "parameter TILE: its name is in no line of …, so its 5 values are one"
std::string unused_text(const KernelInstance& instance, const std::string& parameter);

} // namespace gridsmith
