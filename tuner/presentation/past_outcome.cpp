// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/tuner/presentation/past_outcome.hpp"

#include "gridsmith/results/formats/answer_json.hpp"
#include "gridsmith/results/measurement/failures.hpp"
#include "gridsmith/results/store/holdings.hpp"

namespace gridsmith {
namespace {

Subject subject_of(const Export& exported, const FoundBy& found_by, const std::string& file) {
  const Recording& of = exported.recording;
  Subject subject;
  static_cast<Origin&>(subject) = of;
  static_cast<KernelModel&>(subject) = found_by.model();
  subject.peaks = of.peaks;
  subject.parameters = of.parameters;
  subject.configurations =
      found_by.configurations > 0 ? found_by.configurations : of.measurements.size();
  subject.objective = objective_name(found_by);
  if (!found_by.conditions.empty())
    subject.conditions = found_by.conditions;
  else if (subject.conditions.empty())
    subject.conditions = "conditions unknown";
  subject.format = of.format;
  if (!found_by.recording.empty())
    subject.recording = found_by.recording;
  else if (found_by.strategy.empty()) // a recording, or a store that did not know yet
    subject.recording = file;
  return subject;
}

} // namespace

Outcome past_outcome(const Export& exported, const std::string& file) {
  Outcome outcome;
  outcome.answer = answer_of(exported);
  const FoundBy& found_by = outcome.answer.found_by;
  outcome.subject = subject_of(exported, found_by, file);
  outcome.subject.default_configuration = default_of(exported);
  outcome.answer.found_by.default_configuration = outcome.subject.default_configuration;
  outcome.result.measurements = exported.recording.measurements;
  if (is_store(file))
    outcome.stored_in = file;
  if (found_by.interrupted)
    outcome.result.ended = Ended::stopped;
  outcome.result.chance_of_gain = found_by.chance_of_gain;
  if (found_by.unconfirmed)
    outcome.result.finals = failed_finals(outcome.answer, outcome.result.measurements);
  else if (found_by.measured_again)
    for (const Ranked& one : outcome.answer.ranking)
      outcome.result.finals.push_back(one.measurement);
  return outcome;
}

} // namespace gridsmith
