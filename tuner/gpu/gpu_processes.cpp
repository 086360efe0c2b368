#include "gridsmith/tuner/gpu/gpu_processes.hpp"

#include "gridsmith/tuner/gpu/open_work.hpp"
#include "gridsmith/tuner/processes/device_code_source.hpp"

#include <poll.h>

#include <algorithm>
#include <thread>
#include <utility>

namespace gridsmith {
namespace {

constexpr std::uint64_t our_own = 0; // as a member: the worker's own kernels

CompilerSettings compiler_settings(const KernelInstance& instance,
                                   const GpuProcessSettings& settings) {
  CompilerSettings result;
  result.program = settings.helpers / "gridsmith-compiler";
  result.readable = settings.readable.empty() ? instance.definition.readable : settings.readable;
  result.confined = settings.confined;
  result.processes = compilers_of(settings);
  result.compute_capability = instance.device.compute_capability;
  result.no_cache = !settings.cache;
  result.cache_folder = settings.cache.value_or("");
  result.spans = settings.spans;
  return result;
}

WorkerSettings worker_settings(const GpuProcessSettings& settings) {
  WorkerSettings result;
  result.program = settings.helpers / "gridsmith-worker";
  result.confined = settings.confined;
  result.limits.stage_limit =
      std::chrono::milliseconds(static_cast<std::int64_t>(settings.conditions.timeout_s * 1000));
  result.spans = settings.spans;
  return result;
}

ProcessTally operator+(ProcessTally a, const ProcessTally& b) {
  a.compile_ms += b.compile_ms;
  a.idle_ms += b.idle_ms;
  a.compiler_restarts += b.compiler_restarts;
  a.worker_restarts += b.worker_restarts;
  a.compiled += b.compiled;
  return a;
}

ProcessTally operator-(ProcessTally a, const ProcessTally& b) {
  a.compile_ms -= b.compile_ms;
  a.idle_ms -= b.idle_ms;
  a.compiler_restarts -= b.compiler_restarts;
  a.worker_restarts -= b.worker_restarts;
  a.compiled -= b.compiled;
  return a;
}

} // namespace

std::size_t compilers_of(const GpuProcessSettings& settings) {
  return settings.compilers.value_or(std::max(1u, std::thread::hardware_concurrency()));
}

GpuProcesses::GpuProcesses(const KernelInstance& instance, const GpuProcessSettings& settings)
    : worker_settings_(worker_settings(settings)),
      device_(use_device(instance, settings.conditions)), worker_(worker_settings_),
      pool_(compiler_settings(instance, settings)) {
  pool_.compile(id_of(our_own, 0), device_code_request());
}

void GpuProcesses::begin() {
  UseDevice early = device_; // what needs no code is made ready while that is compiled
  early.code_follows = true;
  worker_->use(early);
  take_compiled(our_own); // from the cache
}

void GpuProcesses::compile(std::uint64_t member, std::uint64_t number,
                           const CompileRequest& request, CompileForecast forecast) {
  pool_.compile(id_of(member, number), request, forecast);
}

void GpuProcesses::withdraw(std::uint64_t member, std::uint64_t number) {
  pool_.withdraw(id_of(member, number));
  worker_->withdraw(id_of(member, number));
}

std::vector<Compiled> GpuProcesses::take_compiled(std::uint64_t member) {
  for (Compiled& one : pool_.take()) {
    const std::uint64_t owner = one.id >> 32;
    one.id = number_of(one.id);
    if (owner != our_own) {
      compiled_[owner].push_back(std::move(one));
      continue;
    }
    if (!one.code->cubin)
      throw WorkerRefused(
          "the worker's own kernels do not compile: " + one.code->error.value_or(""), false);
    device_.device_code = one.code->cubin;
    worker_->use(device_);
  }
  return std::exchange(compiled_[member], {});
}

void GpuProcesses::renew_worker() {
  const ProcessTally before = sum();
  worker_.emplace(worker_settings_);
  gone_ = gone_ + (before - sum());
  if (device_.device_code)
    worker_->use(device_);
}

ProcessTally GpuProcesses::sum() const {
  return gone_ + ProcessTally{pool_.compile_ms(), worker_->idle_ms(), pool_.restarts(),
                              worker_->restarts(), pool_.tally()};
}

ProcessTally GpuProcesses::tally(std::uint64_t member) const {
  const auto found = tallies_.find(member);
  return found == tallies_.end() ? ProcessTally{} : found->second;
}

void GpuProcesses::advance(std::uint64_t member, std::chrono::milliseconds limit) {
  using Clock = std::chrono::steady_clock;
  const ProcessTally before = sum();
  std::vector<pollfd> descriptors;
  pool_.add_descriptors(descriptors);
  worker_->add_descriptors(descriptors);
  const auto deadline = std::min({Clock::now() + limit, pool_.deadline(), worker_->deadline()});
  const auto wait = std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now());
  ::poll(descriptors.data(), descriptors.size(),
         static_cast<int>(std::max<std::int64_t>(0, wait.count())));
  pool_.advance();
  worker_->advance();
  tallies_[member] = tallies_[member] + (sum() - before);
}

} // namespace gridsmith
