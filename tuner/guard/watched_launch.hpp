// SPDX-License-Identifier: Apache-2.0
// A compiled kernel launched for a tool that watches its process, in a worker of its own.
#pragma once

#include "gridsmith/tuner/guard/profiler_run.hpp"
#include "gridsmith/tuner/processes/worker_link.hpp"

#include <memory>
#include <stop_token>

namespace gridsmith {

/// Opens data and nothing else (no reference, no counters), launches as `run` says, and lets the worker end by itself.
/// @throws HelperError, WorkerRefused; StoppedWaiting
Execution launch_watched(WorkerSettings settings, const KernelInstance& instance,
                         const LaunchJob& job, std::shared_ptr<const Bytes> device_code,
                         const ProfilerRun& run, const std::stop_token& stop);

} // namespace gridsmith
