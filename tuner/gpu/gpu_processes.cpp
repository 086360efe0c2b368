// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/tuner/gpu/gpu_processes.hpp"

#include "gridsmith/tuner/gpu/open_work.hpp"
#include "gridsmith/tuner/processes/device_code_source.hpp"

#include <fmt/format.h>
#include <poll.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <utility>

namespace gridsmith {
namespace {

/// Later than a compilation may take: days where it may take any time.
std::chrono::milliseconds hanging_after(double allowed_s) {
  constexpr double later_s = 10, longest_s = 1e7;
  return std::chrono::milliseconds(
      static_cast<std::int64_t>(1000 * std::min(longest_s, allowed_s + later_s)));
}

CompilerSettings compiler_settings(const GpuProcessSettings& settings) {
  CompilerSettings result = compiler_settings(settings.helpers, settings.readable);
  result.spans = settings.spans;
  if (!settings.compile_timeout.adapts) // what takes too long is given up by whoever asked
    result.first_limit = result.least_limit = hanging_after(settings.compile_timeout.seconds);
  return result;
}

CompilerSettings compiler_settings(const KernelInstance& instance,
                                   const GpuProcessSettings& settings) {
  CompilerSettings result = compiler_settings(settings);
  if (result.readable.empty())
    result.readable = instance.definition.readable;
  return result;
}

WorkerSettings worker_settings(const GpuProcessSettings& settings) {
  WorkerSettings result = worker_settings(settings.helpers, settings.conditions.timeout_s);
  result.spans = settings.spans;
  return result;
}

/// The worker's own kernels as they were compiled with Gridsmith; null for a device that was not thought
/// of then.
std::shared_ptr<const Bytes> shipped_code(const std::filesystem::path& helpers, int capability) {
  std::ifstream file(helpers / fmt::format("device_code/sm_{}.cubin", capability),
                     std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(file), {}};
  return bytes.empty() ? nullptr : std::make_shared<const Bytes>(bytes.begin(), bytes.end());
}

} // namespace

EarlyProcesses::EarlyProcesses(const GpuProcessSettings& settings)
    : worker(worker_settings(settings)),
      compilers(std::make_shared<SharedCompilers>(compiler_settings(settings))) {
}

GpuProcesses::GpuProcesses(const KernelInstance& instance, const GpuProcessSettings& settings,
                           std::shared_ptr<SharedCompilers> compilers,
                           std::optional<WorkerLink> worker)
    : conditions_(settings.conditions), worker_settings_(worker_settings(settings)),
      device_(use_device(instance, settings.conditions)),
      worker_(worker ? std::move(worker) : std::optional<WorkerLink>(worker_settings_)),
      compilers_(compilers
                     ? std::move(compilers)
                     : std::make_shared<SharedCompilers>(compiler_settings(instance, settings))),
      own_(compilers_->join_worker()) {
  pool().compile_for(instance.device.compute_capability);
  device_.device_code =
      shipped_code(settings.helpers.installation.programs, instance.device.compute_capability);
  if (!device_.device_code)
    compilers_->compile(own_, 0, device_code_request());
}

void GpuProcesses::begin() {
  UseDevice early = device_; // what needs no code is made ready while that is compiled
  early.code_follows = !device_.device_code;
  worker_->use(early);
  take_compiled(own_); // from the cache
}

void GpuProcesses::compile(std::uint64_t member, std::uint64_t number,
                           const CompileRequest& request, CompileForecast forecast) {
  compilers_->compile(member, number, request, forecast);
}

void GpuProcesses::withdraw(std::uint64_t member, std::uint64_t number) {
  compilers_->withdraw(member, number);
  worker_->withdraw(id_of(member, number));
}

void GpuProcesses::give_up(std::uint64_t member, std::uint64_t number) {
  const ProcessTally before = sum();
  compilers_->give_up(member, number);
  worker_->withdraw(id_of(member, number));
  add_since(before, member);
}

void GpuProcesses::end_ahead(std::uint64_t member) {
  const ProcessTally before = sum();
  pool().end_ahead();
  add_since(before, member);
}

std::vector<Compiled> GpuProcesses::take_compiled(std::uint64_t member) {
  for (const Compiled& one : compilers_->take(own_)) {
    if (!one.code->cubin)
      throw WorkerRefused(
          "the worker's own kernels do not compile: " + one.code->error.value_or(""), false);
    device_.device_code = one.code->cubin;
    worker_->use(device_);
  }
  return compilers_->take(member);
}

void GpuProcesses::renew_worker() {
  ProcessTally gone = sum();
  worker_.emplace(worker_settings_);
  subtract_fields(gone, sum());
  add_fields(gone_, gone);
  if (device_.device_code)
    worker_->use(device_);
}

ProcessTally GpuProcesses::sum() const {
  ProcessTally all{pool().compile_ms(), worker_->idle_ms(), pool().restarts(), worker_->restarts(),
                   pool().tally()};
  add_fields(all, gone_);
  return all;
}

void GpuProcesses::add_since(const ProcessTally& before, std::uint64_t member) {
  ProcessTally since = sum();
  subtract_fields(since, before);
  add_fields(tallies_[member], since);
}

ProcessTally GpuProcesses::tally(std::uint64_t member) const {
  const auto found = tallies_.find(member);
  return found == tallies_.end() ? ProcessTally{} : found->second;
}

void GpuProcesses::add_worker_descriptors(std::vector<pollfd>& descriptors) const {
  worker_->add_descriptors(descriptors);
}

std::chrono::steady_clock::time_point GpuProcesses::deadline() const {
  return std::min(pool().deadline(), worker_->deadline());
}

void GpuProcesses::advance(std::uint64_t member, std::chrono::milliseconds limit) {
  const ProcessTally before = sum();
  wait_for({this}, limit);
  pool().advance();
  if (!worker_->has_work() || worker_->works_on(member))
    worker_->advance();
  add_since(before, member);
}

void wait_for(const std::vector<const GpuProcesses*>& processes, std::chrono::milliseconds limit) {
  using Clock = std::chrono::steady_clock;
  std::vector<pollfd> descriptors;
  processes.front()->pool().add_descriptors(descriptors);
  auto deadline = Clock::now() + limit;
  for (const GpuProcesses* one : processes) {
    one->add_worker_descriptors(descriptors);
    deadline = std::min(deadline, one->deadline());
  }
  wait_for_some(descriptors, deadline);
}

} // namespace gridsmith
