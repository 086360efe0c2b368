// SPDX-License-Identifier: Apache-2.0
// The processes that measure on one GPU: compilers, which other GPUs may have too, and a worker,
// started once and shared by all evaluators of a run. They compile side by side, and take turns on the worker: one
// has trials in flight at a time.
#pragma once

#include "gridsmith/kernels/definition/instance.hpp"
#include "gridsmith/results/measurement/conditions.hpp"
#include "gridsmith/tuner/gpu/shared_compilers.hpp"
#include "gridsmith/tuner/loop/compile_patience.hpp"
#include "gridsmith/tuner/processes/worker_link.hpp"

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace gridsmith {

struct GpuProcessSettings {
  HelperSettings helpers;
  CompileTimeout compile_timeout = {}; ///< until then none counts as hanging
  Conditions conditions;
  ReadableFolders readable = {}; ///< by compilers, for all definitions to come; empty: the first's
  SpanSink spans = {};
};

/// What the processes have done for one evaluator.
struct ProcessTally {
  double compile_ms = 0, idle_ms = 0; ///< of all compilers; of the worker, ready without work
  std::size_t compiler_restarts = 0, worker_restarts = 0;
  CompileTally compiled;
};

template <Like<ProcessTally> T>
constexpr void for_fields(T& v, auto&& visit) {
  visit("compile_ms", v.compile_ms);
  visit("idle_ms", v.idle_ms);
  visit("compiler_restarts", v.compiler_restarts);
  visit("worker_restarts", v.worker_restarts);
  visit("compiled", v.compiled);
}

static_assert(lists_all_fields<ProcessTally>());

/// What takes its time to start and is the same for every device.
struct EarlyProcesses {
  /// @param settings with `readable`. @throws as GpuProcesses
  explicit EarlyProcesses(const GpuProcessSettings& settings);

  WorkerLink worker;
  std::shared_ptr<SharedCompilers> compilers;
};

class GpuProcesses {
public:
  /// Starts all of them, side by side, and waits until the first compiler has said its version.
  /// @param instance the first of those to come: they are on one device
  /// @param compilers of another GPU of this product, or started early; none: its own
  /// @param worker that was started early; none: its own
  /// @throws HelperError when the programs cannot be started; InputError as CompilerPool
  GpuProcesses(const KernelInstance& instance, const GpuProcessSettings& settings,
               std::shared_ptr<SharedCompilers> compilers = nullptr,
               std::optional<WorkerLink> worker = std::nullopt);

  ~GpuProcesses() { worker_->end(); } // a context takes a tenth of a second

  GpuProcesses(const GpuProcesses&) = delete;
  GpuProcesses& operator=(const GpuProcesses&) = delete;

  /// Once: the worker makes its context and counters ready, and what needs its own code, of which the
  /// compilation has begun, as soon as that is there.
  void begin();

  /// A new evaluator's number, which is that of its work too.
  std::uint64_t join() { return compilers_->join(); }

  /// Asks for a compilation. @param number of the evaluator's choice, below 2^32
  void compile(std::uint64_t member, std::uint64_t number, const CompileRequest& request,
               CompileForecast forecast = {});

  /// More is known of one that was asked for.
  void expect(std::uint64_t member, std::uint64_t number, CompileForecast forecast) {
    compilers_->expect(member, number, forecast);
  }

  void withdraw(std::uint64_t member, std::uint64_t number);
  /// … and its compilation is ended.
  void give_up(std::uint64_t member, std::uint64_t number);
  /// What is compiled for nobody is.
  void end_ahead(std::uint64_t member);
  /// Those finished since the last call, under the evaluator's numbers.
  /// @throws WorkerRefused when the worker's own kernels do not compile
  std::vector<Compiled> take_compiled(std::uint64_t member);

  /// What is measured is measured under these.
  const Conditions& conditions() const { return conditions_; }

  CompilerPool& pool() { return compilers_->pool(); }

  const CompilerPool& pool() const { return compilers_->pool(); }

  /// Its part of the compilers, which all workers share.
  std::size_t compilers_of_its_own() const { return compilers_->for_each_worker(); }

  const std::shared_ptr<SharedCompilers>& compilers() const { return compilers_; }

  /// Ids of jobs and of compilations are the same.
  WorkerLink& worker() { return *worker_; }

  const WorkerLink& worker() const { return *worker_; }

  /// After a refusal: a new process, which has nothing open.
  void renew_worker();

  static std::uint64_t id_of(std::uint64_t member, std::uint64_t number) {
    return SharedCompilers::id_of(member, number);
  }

  static std::uint64_t number_of(std::uint64_t id) { return SharedCompilers::number_of(id); }

  /// Waits until something can be read or is due, at most so long, and does it. What it comes to is
  /// this evaluator's; the worker is heard by the one whose turn it is. @throws as CompilerPool::advance and
  /// WorkerLink::advance
  void advance(std::uint64_t member, std::chrono::milliseconds limit);

  /// For a poll over several: those of the worker alone, and when one of ours is due.
  void add_worker_descriptors(std::vector<pollfd>& descriptors) const;
  std::chrono::steady_clock::time_point deadline() const;

  ProcessTally tally(std::uint64_t member) const;

private:
  ProcessTally sum() const;
  void add_since(const ProcessTally& before, std::uint64_t member);

  Conditions conditions_;
  WorkerSettings worker_settings_;
  UseDevice device_;
  std::optional<WorkerLink> worker_; ///< started first: a context takes longest
  std::shared_ptr<SharedCompilers> compilers_;
  std::uint64_t own_;                             ///< as a member: the worker's own kernels
  std::map<std::uint64_t, ProcessTally> tallies_; ///< by member
  ProcessTally gone_;                             ///< of workers that were renewed
};

/// Waits until something of these, which share their compilers, can be read or is due, at most so long.
/// Nothing is read. @pre there is one
void wait_for(const std::vector<const GpuProcesses*>& processes, std::chrono::milliseconds limit);

} // namespace gridsmith
