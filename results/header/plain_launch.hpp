// SPDX-License-Identifier: Apache-2.0
// What the shipped configurations launch, in plain arithmetic that is proven not to overflow: what
// makes choosing among them cheap.
#pragma once

#include "gridsmith/kernels/definition/definition.hpp"
#include "gridsmith/results/header/kernel_code.hpp"

#include <optional>
#include <span>
#include <string>

namespace gridsmith {

/// Members of a device's struct: is_plain(p, d), whether extents and facts are in the range of the
/// proof and all blocks fit the device, and plain_runs<I>(p, d, launch), what runs() says of
/// configuration I there but for the limits of a grid. Nothing where one of them has no proof.
std::optional<std::string> plain_launches(const KernelDefinition& definition,
                                          const KernelCode& code,
                                          std::span<const Configuration> configurations);

} // namespace gridsmith
