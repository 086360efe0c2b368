// SPDX-License-Identifier: Apache-2.0
// __constant__ variables of a kernel that its definition does not fill. Pure functions.
#pragma once

#include "gridsmith/kernels/definition/instance.hpp"

#include <optional>
#include <string>
#include <vector>

namespace gridsmith {

/// Whatever is computed with them is computed with zeros, by the reference too. A warning, but where the source has
/// several kernels: they may be another's. None: all are filled.
/// @param zeros those that are all zeros in the compiled code
std::optional<Remark> unfilled_constants(const KernelInstance& instance,
                                         std::vector<std::string> zeros);

} // namespace gridsmith
