// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/tuner/guard/profiler_run.hpp"

#include "gridsmith/kernels/definition/launch.hpp"
#include "gridsmith/tuner/gpu/gpu_lock.hpp"
#include "gridsmith/tuner/guard/watched_launch.hpp"
#include "gridsmith/tuner/processes/compile_all.hpp"
#include "gridsmith/tuner/processes/device_code_source.hpp"

#include <array>
#include <chrono>
#include <utility>

namespace gridsmith {
namespace {

Execution failed(std::string reason) {
  Execution execution;
  execution.status = Status::compile;
  execution.reason = std::move(reason);
  return execution;
}

/// A profiler launches each kernel dozens of times and saves memory in between: nobody is hurried.
WorkerSettings worker_settings(const ProfilerRun& run) {
  WorkerSettings settings = worker_settings(run.helpers);
  settings.limits.open_limit = std::chrono::minutes(10);
  settings.limits.stage_limit = std::chrono::hours(1);
  return settings;
}

} // namespace

Execution run_for_profiler(const KernelInstance& instance, const Configuration& configuration,
                           const ProfilerRun& run, const std::stop_token& stop) {
  const GpuLease lease(instance.device, run.helpers.share, run.note, stop);
  HelperSettings helpers = run.helpers;
  helpers.compilers = 1;
  CompilerPool pool(
      compiler_settings(helpers, instance.definition.readable, instance.device.compute_capability));
  const std::array requests{device_code_request(), compile_request(instance, configuration)};
  const std::vector<Code> codes = compile_all(pool, requests, stop);
  if (!codes[0] || !codes[1])
    throw StoppedWaiting("stopped before it was compiled");
  for (const Code& code : codes)
    if (!code->cubin)
      return failed("does not compile: " + code->error.value_or(""));
  return launch_watched(
      worker_settings(run), instance,
      {1, to_text(configuration),
       Launchable{codes[1]->cubin, codes[1]->kernel, launch_geometry(instance, configuration)}},
      codes[0]->cubin, run, stop);
}

} // namespace gridsmith
