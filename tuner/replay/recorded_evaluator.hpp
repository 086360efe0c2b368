// Evaluates from a recording: the same answers as that day on that device, at once.
#pragma once

#include "gridsmith/results/measurement/recording.hpp"
#include "gridsmith/tuner/loop/evaluator.hpp"

#include <unordered_map>

namespace gridsmith {

class RecordedEvaluator final : public Evaluator {
public:
  explicit RecordedEvaluator(const Recording& recording); ///< the recording outlives it

  const Device& device() const override { return recording_->device; }

  std::size_t depth() const override { return 1; }

  void submit(EvaluationRequest request) override;
  std::vector<Evaluated> collect(std::chrono::milliseconds limit) override;
  /// What was recorded: a recording cannot be measured again.
  std::vector<Measurement> finals(const std::vector<Configuration>& configurations) override;

  EvaluatorState state() const override { return state_; }

private:
  Measurement measurement(const Configuration& configuration) const;

  const Recording* recording_;
  std::unordered_map<std::string, std::size_t> row_of_; ///< by the configuration's text
  std::vector<Evaluated> done_;
  EvaluatorState state_;
};

} // namespace gridsmith
