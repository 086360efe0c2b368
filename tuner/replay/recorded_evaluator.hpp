// SPDX-License-Identifier: Apache-2.0
// Evaluates from a recording: the same answers as that day on that device, at once, or on a machine in virtual time
// after as long as it took then.
#pragma once

#include "gridsmith/results/measurement/recording.hpp"
#include "gridsmith/tuner/loop/evaluator.hpp"
#include "gridsmith/tuner/loop/pace.hpp"
#include "gridsmith/tuner/replay/simulated_machine.hpp"

#include <map>

namespace gridsmith {

class RecordedEvaluator final : public Evaluator {
public:
  /// All outlive it.
  /// @param machine none: it answers at once
  RecordedEvaluator(const Recording& recording, const RecordedSpace& space,
                    SimulatedMachine* machine = nullptr)
      : recording_(recording), space_(space), machine_(machine) {}

  /// What is on its way is withdrawn.
  ~RecordedEvaluator() override;
  RecordedEvaluator(const RecordedEvaluator&) = delete;
  RecordedEvaluator& operator=(const RecordedEvaluator&) = delete;

  const Device& device() const override { return recording_.device; }

  Peaks peaks() const override { return recording_.peaks; }

  std::size_t depth() const override;
  std::size_t useful() const override;

  /// Never, but so it hears whether anybody reads them.
  bool counts_later() const override { return machine_ != nullptr; }

  /// Whatever the mode, what was recorded: a recording cannot be measured again.
  void submit(std::vector<Trial> trials) override;
  std::vector<Evaluated> collect(std::chrono::milliseconds limit) override;
  void withdraw(TrialId id) override;
  std::optional<double> compiling_s(TrialId id) const override;
  void give_up(TrialId id) override;

  EvaluatorState state() const override;

private:
  bool has_compilers() const { return machine_ && machine_->compilers() > 0; }

  const Recording& recording_;
  const RecordedSpace& space_;
  SimulatedMachine* machine_;
  std::map<TrialId, Measurement> pending_; ///< on the machine: what will be answered
  std::vector<Evaluated> done_;
  TimeSpent spent_;
  Pace pace_;
};

} // namespace gridsmith
