// SPDX-License-Identifier: Apache-2.0
// Evaluates from a recording: the same answers as that day on that device, at once.
#pragma once

#include "gridsmith/results/measurement/recording.hpp"
#include "gridsmith/tuner/loop/evaluator.hpp"

namespace gridsmith {

class RecordedEvaluator final : public Evaluator {
public:
  /// Both outlive it.
  RecordedEvaluator(const Recording& recording, const RecordedSpace& space)
      : recording_(recording), space_(space) {}

  const Device& device() const override { return recording_.device; }

  Peaks peaks() const override { return recording_.peaks; }

  std::size_t depth() const override { return 1; }

  /// Whatever the mode, what was recorded: a recording cannot be measured again.
  void submit(std::vector<Trial> trials) override;
  std::vector<Evaluated> collect(std::chrono::milliseconds limit) override;
  void withdraw(TrialId id) override;

  EvaluatorState state() const override { return state_; }

private:
  const Recording& recording_;
  const RecordedSpace& space_;
  std::vector<Evaluated> done_;
  EvaluatorState state_;
};

} // namespace gridsmith
