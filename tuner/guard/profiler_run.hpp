// SPDX-License-Identifier: Apache-2.0
// One configuration launched to be looked at by ncu, nsys or nvprof: nothing here asks CUPTI for
// anything, and NVTX shows the profiler where to look.
#pragma once

#include "gridsmith/kernels/definition/instance.hpp"
#include "gridsmith/results/measurement/execution.hpp"
#include "gridsmith/tuner/processes/helper_settings.hpp"

#include <cstdint>
#include <functional>
#include <stop_token>
#include <string>

namespace gridsmith {

struct ProfilerRun {
  int warm_ups = 1;       ///< launches before those that the profiler sees
  int launches = 1;       ///< … and those
  std::uint64_t seed = 1; ///< of the data
  std::function<void(const std::string&)> note = {}; ///< one line that a person should read
  /// Unconfined where a profiler is in them: it needs files and sockets that the sandbox forbids.
  HelperSettings helpers = {};
};

/// Compiles, loads, fills the data, and launches: warm-ups, then what is meant between
/// cudaProfilerStart and cudaProfilerStop in an NVTX range "KERNEL | CONFIGURATION | launch" of the
/// domain gridsmith. A failure is in the execution, which has no times.
/// @param instance for a device of this machine, as query_devices() gives it
/// @throws InputError, HelperError, WorkerRefused; StoppedWaiting: stopped, or while another
/// Gridsmith had the GPU
Execution run_for_profiler(const KernelInstance& instance, const Configuration& configuration,
                           const ProfilerRun& run, const std::stop_token& stop = {});

} // namespace gridsmith
