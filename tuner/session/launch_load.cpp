// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/tuner/session/launch_load.hpp"

#include "gridsmith/kernels/definition/launch.hpp"

namespace gridsmith {

LaunchLoad launch_load(const KernelInstance& instance, const Configuration& configuration) {
  const Device& device = instance.device;
  if (device.sm_count == 0 || device.max_threads_per_sm == 0)
    return {};
  try {
    const Geometry geometry = launch_geometry(instance, configuration);
    double blocks = 1;
    for (const auto extent : geometry.grid)
      blocks *= static_cast<double>(extent);
    const double per_sm = blocks / device.sm_count;
    return {per_sm,
            per_sm * static_cast<double>(geometry.threads_per_block()) / device.max_threads_per_sm};
  } catch (const InputError&) { // it will be said when it is measured
    return {};
  }
}

} // namespace gridsmith
