#include "gridsmith/tuner/replay/recorded_evaluator.hpp"

#include <utility>

namespace gridsmith {

RecordedEvaluator::RecordedEvaluator(const Recording& recording) : recording_(&recording) {
  for (std::size_t row = 0; row < recording.measurements.size(); ++row)
    row_of_.emplace(to_text(recording.measurements[row].configuration), row);
}

Measurement RecordedEvaluator::measurement(const Configuration& configuration) const {
  const auto found = row_of_.find(to_text(configuration));
  if (found != row_of_.end())
    return recording_->measurements[found->second];
  Measurement missing;
  missing.configuration = configuration;
  missing.status = Status::constraints;
  missing.reason = "the recording does not hold this configuration";
  return missing;
}

void RecordedEvaluator::submit(EvaluationRequest request) {
  Measurement found = measurement(request.configuration);
  state_.gpu_busy_ms += found.gpu_ms;
  done_.push_back({request.ticket, std::move(found)});
}

std::vector<Evaluated> RecordedEvaluator::collect(std::chrono::milliseconds) {
  return std::exchange(done_, {});
}

std::vector<Measurement>
RecordedEvaluator::finals(const std::vector<Configuration>& configurations) {
  std::vector<Measurement> measurements;
  for (const Configuration& configuration : configurations)
    measurements.push_back(measurement(configuration));
  return measurements;
}

} // namespace gridsmith
