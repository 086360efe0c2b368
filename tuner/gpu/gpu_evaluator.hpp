// SPDX-License-Identifier: Apache-2.0
// Evaluates one problem on a GPU: compilers ahead, one worker behind, everything between them here.
// Survives all that a kernel can do; what happened becomes a measurement.
#pragma once

#include "gridsmith/kernels/definition/instance.hpp"
#include "gridsmith/tuner/gpu/code_kept.hpp"
#include "gridsmith/tuner/gpu/gpu_processes.hpp"
#include "gridsmith/tuner/gpu/twins.hpp"
#include "gridsmith/tuner/loop/evaluator.hpp"
#include "gridsmith/tuner/loop/pace.hpp"

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace gridsmith {

class LaunchNeeds;

class GpuEvaluator final : public Evaluator {
public:
  /// Has its work opened as soon as there is something to load.
  /// @param instance outlives the evaluator, as do processes, which are of its device and measure under their conditions
  /// @throws InputError when the source cannot be read
  GpuEvaluator(const KernelInstance& instance, EvaluatorStart start, GpuProcesses& processes);
  /// What is on its way is withdrawn.
  ~GpuEvaluator() override;
  GpuEvaluator(const GpuEvaluator&) = delete;
  GpuEvaluator& operator=(const GpuEvaluator&) = delete;

  /// Returns when the worker is ready, so that start-up can be told apart from tuning.
  /// @throws WorkerRefused
  void wait_until_open();

  const Device& device() const override;
  Peaks peaks() const override;
  std::size_t depth() const override;
  std::size_t useful() const override;

  bool counts_later() const override { return !open_.counters.empty(); }

  void submit(std::vector<Trial> trials) override;
  std::vector<Evaluated> collect(std::chrono::milliseconds limit) override;
  void withdraw(TrialId id) override;
  std::optional<double> compiling_s(TrialId id) const override;
  void put_off(TrialId id) override;
  void give_up(TrialId id) override;
  void compile_ahead(const std::vector<Configuration>& likely) override;
  std::size_t spare_compilers() const override;
  void best_so_far(double best_ms) override;
  EvaluatorState state() const override;

private:
  using Clock = std::chrono::steady_clock;
  using Code = CodeKept::Code;

  /// Trials that are measured together once all of them are compiled.
  struct Group {
    Trial asked; ///< the first of them: all are measured alike
    std::size_t uncompiled = 0;
    std::vector<LaunchJob> jobs;
  };

  /// A trial on its way.
  struct Pending {
    Trial asked; ///< its configuration is in the measurement
    Measurement measurement;
    std::shared_ptr<Group> group; ///< none: alone, in the race
    Code code;                    ///< once compiled
    bool waits = false;           ///< for its twin, which is being measured
  };

  std::optional<std::uint64_t> number_of(TrialId id) const;
  void begin(Trial trial, const std::shared_ptr<Group>& group, bool many);

  std::uint64_t job_id(std::uint64_t number) const { return GpuProcesses::id_of(member_, number); }

  void advance(std::chrono::milliseconds limit);
  void take_compiled();
  bool take_opening(const Compiled& compiled);
  void compiled(std::uint64_t number, const Code& code);
  LaunchJob job_of(std::uint64_t number, const Pending& pending) const;
  EvaluateBatch race_of(std::uint64_t number, const Pending& pending) const;
  void race(std::uint64_t number, Pending& pending);
  void race_in_place_of(std::uint64_t left);
  void share(std::uint64_t number);
  void look_at_constants(const CodeObject& code);
  void learn_needs(const Pending& pending, const CodeObject& code);
  void complete(const std::shared_ptr<Group>& group);
  void launch(EvaluateBatch batch);
  void open_work_now();

  bool works() const { return processes_.worker().works_on(member_); }

  void advance_processes(std::chrono::milliseconds limit);
  void give_up_default(const std::string& because);
  void take_measured();
  void finish(std::uint64_t number, Execution execution, bool judged = true);

  const KernelInstance& instance_;
  EvaluatorStart start_;
  GpuProcesses& processes_;
  Conditions conditions_; ///< those of the processes, regime and clock of the start
  std::uint64_t member_;  ///< our number among those who share the processes
  OpenWork open_;
  bool code_seen_ = false;
  bool reference_wanted_ = false; ///< a kernel that has to be compiled before the work is opened
  std::optional<WorkOpened> opened_;
  std::vector<EvaluateBatch> before_open_; ///< compiled before the work could be opened
  std::uint64_t numbers_ = 0;              ///< given to trials: theirs may come again
  std::map<std::uint64_t, Pending> pending_;
  Twins twins_;
  std::unique_ptr<LaunchNeeds> needs_;
  CodeKept kept_;
  std::vector<Evaluated> done_;
  std::optional<double> best_ms_;
  EvaluatorState totals_;
  Pace pace_;
  Clock::time_point started_ = Clock::now();
  std::optional<Clock::time_point> first_trial_;
};

} // namespace gridsmith
