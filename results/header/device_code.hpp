// SPDX-License-Identifier: Apache-2.0
// The part of a generated header that knows one kernel on one device: what was measured there, what
// was chosen of it, and the numbers of the rule that chooses.
#pragma once

#include "gridsmith/results/header/header.hpp"
#include "gridsmith/results/header/kernel_code.hpp"

#include <string>

namespace gridsmith {

/// Where what is chosen by another objective than the time stands.
struct GoalPlace {
  std::string goal;  ///< its enumerator; "": the time
  std::string goals; ///< hash of the goals' part, which names their inline namespace
};

/// Declarations below the kernel's namespace: a struct with the tables, named like the device, and its
/// place among the devices that a source includes.
/// @param part hash of the kernel's part, which names its inline namespace
std::string device_code(const KernelCode& kernel, const KernelDefinition* definition,
                        const std::string& part, const ShippedDevice& device,
                        const GoalPlace& place = {});

/// The macro that lists the devices of a goal.
std::string device_list(const KernelCode& kernel, const std::string& goal);

} // namespace gridsmith
