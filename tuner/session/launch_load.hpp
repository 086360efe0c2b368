// SPDX-License-Identifier: Apache-2.0
// How far a configuration fills the device at its problem, before it is compiled.
#pragma once

#include "gridsmith/kernels/definition/instance.hpp"
#include "gridsmith/search/campaign/campaign_plan.hpp"

namespace gridsmith {

/// Nothing is known where the definition gives no geometry, or the device no multiprocessors: 1.
LaunchLoad launch_load(const KernelInstance& instance, const Configuration& configuration);

} // namespace gridsmith
