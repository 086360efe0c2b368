// The processes that measure on one GPU: a pool of compilers and a worker, started once and shared by
// all evaluators of a run, which take their turns: one has trials in flight at a time.
#pragma once

#include "gridsmith/kernels/definition/instance.hpp"
#include "gridsmith/results/measurement/conditions.hpp"
#include "gridsmith/tuner/processes/compiler_pool.hpp"
#include "gridsmith/tuner/processes/worker_link.hpp"

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace gridsmith {

struct GpuProcessSettings {
  std::filesystem::path helpers;              ///< folder of gridsmith-worker and gridsmith-compiler
  std::optional<std::size_t> compilers;       ///< processes; none: one per core
  std::optional<std::filesystem::path> cache; ///< folder of compiled kernels; none: no cache at all
  bool confined = true;                       ///< compilers and worker, as far as the system can
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

class GpuProcesses {
public:
  /// Starts all of them, side by side, and waits until the first compiler has said its version.
  /// @param instance the first of those to come: they are on one device
  /// @throws HelperError when the programs cannot be started; InputError as CompilerPool
  GpuProcesses(const KernelInstance& instance, const GpuProcessSettings& settings);

  /// Once: the worker makes its context and counters ready, and what needs its own code, of which the
  /// compilation has begun, as soon as that is there.
  void begin();

  /// A new evaluator's number, which is that of its work too.
  std::uint64_t join() { return ++members_; }

  /// Asks for a compilation. @param number of the evaluator's choice, below 2^32
  void compile(std::uint64_t member, std::uint64_t number, const CompileRequest& request,
               CompileForecast forecast = {});

  /// More is known of one that was asked for.
  void expect(std::uint64_t member, std::uint64_t number, CompileForecast forecast) {
    pool_.expect(id_of(member, number), forecast);
  }

  void withdraw(std::uint64_t member, std::uint64_t number);
  /// Those finished since the last call, under the evaluator's numbers.
  /// @throws WorkerRefused when the worker's own kernels do not compile
  std::vector<Compiled> take_compiled(std::uint64_t member);

  CompilerPool& pool() { return pool_; }

  const CompilerPool& pool() const { return pool_; }

  /// Ids of jobs and of compilations are the same.
  WorkerLink& worker() { return *worker_; }

  const WorkerLink& worker() const { return *worker_; }

  /// After a refusal: a new process, which has nothing open.
  void renew_worker();

  static std::uint64_t id_of(std::uint64_t member, std::uint64_t number) {
    return member << 32 | number;
  }

  static std::uint64_t number_of(std::uint64_t id) { return id & 0xffffffff; }

  /// Waits until something can be read or is due, at most so long, and does it. What it comes to is
  /// this evaluator's. @throws as CompilerPool::advance and WorkerLink::advance
  void advance(std::uint64_t member, std::chrono::milliseconds limit);

  ProcessTally tally(std::uint64_t member) const;

private:
  ProcessTally sum() const;

  WorkerSettings worker_settings_;
  UseDevice device_;
  std::optional<WorkerLink> worker_; ///< started first: a context takes longest
  CompilerPool pool_;
  std::uint64_t members_ = 0;
  std::map<std::uint64_t, std::vector<Compiled>> compiled_; ///< by member
  std::map<std::uint64_t, ProcessTally> tallies_;           ///< likewise
  ProcessTally gone_;                                       ///< of workers that were renewed
};

/// One per core where none are said.
std::size_t compilers_of(const GpuProcessSettings& settings);

} // namespace gridsmith
