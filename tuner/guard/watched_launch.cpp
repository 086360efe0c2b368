// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/tuner/guard/watched_launch.hpp"

#include "gridsmith/tuner/gpu/gpu_lock.hpp"
#include "gridsmith/tuner/gpu/open_work.hpp"

#include <utility>

namespace gridsmith {
namespace {

void open(WorkerLink& worker, const KernelInstance& instance, const ProfilerRun& run,
          std::shared_ptr<const Bytes> device_code) {
  Conditions conditions;
  conditions.regime = Regime::warm;
  conditions.counter_set = "none";
  UseDevice device = use_device(instance, conditions);
  device.device_code = std::move(device_code);
  OpenWork work = open_work(instance, conditions, run.seed);
  work.reference = {};
  work.measure_copy = false;
  worker.use(std::move(device));
  worker.open(std::move(work));
}

} // namespace

Execution launch_watched(WorkerSettings settings, const KernelInstance& instance,
                         const LaunchJob& job, std::shared_ptr<const Bytes> device_code,
                         const ProfilerRun& run, const std::stop_token& stop) {
  WorkerLink worker(std::move(settings));
  open(worker, instance, run, std::move(device_code));
  EvaluateBatch batch{.mode = Mode::check};
  batch.jobs.push_back(job);
  batch.for_profiler = {run.warm_ups, run.launches};
  auto done = worker.evaluate_all(std::move(batch), stop);
  if (!done)
    throw StoppedWaiting("stopped before all was launched");
  worker.finish();
  return std::move(done->front());
}

} // namespace gridsmith
