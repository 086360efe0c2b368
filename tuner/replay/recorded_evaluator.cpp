// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/tuner/replay/recorded_evaluator.hpp"

#include <utility>

namespace gridsmith {
namespace {

Measurement missing(Configuration configuration) {
  Measurement measurement;
  measurement.configuration = std::move(configuration);
  measurement.status = Status::constraints;
  measurement.reason = "the recording does not contain this configuration";
  return measurement;
}

} // namespace

void RecordedEvaluator::submit(std::vector<Trial> trials) {
  for (Trial& trial : trials) {
    const auto id = space_.space().find(trial.configuration);
    done_.push_back(
        {trial.id, id ? space_.measurement(*id) : missing(std::move(trial.configuration))});
    state_.spent.gpu_ms += done_.back().measurement.spent.gpu_ms;
  }
}

std::vector<Evaluated> RecordedEvaluator::collect(std::chrono::milliseconds) {
  return std::exchange(done_, {});
}

void RecordedEvaluator::withdraw(TrialId id) {
  std::erase_if(done_, [&](const Evaluated& one) { return one.id == id; });
}

} // namespace gridsmith
