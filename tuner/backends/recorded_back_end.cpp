// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/tuner/backends/recorded_back_end.hpp"

#include "gridsmith/results/formats/read_recording.hpp"
#include "gridsmith/tuner/backends/recordings.hpp"
#include "gridsmith/tuner/replay/recorded_evaluator.hpp"

#include <fmt/format.h>

namespace gridsmith {

std::vector<Source> RecordedBackEnd::sources(const BackEndProblem& wanted) {
  if (given_) {
    say_ignored();
    return {source(*given_)};
  }
  const KernelDefinition& definition = *wanted.definition;
  check_problem(definition, wanted.problem);
  // Whatever lies as in the catalogue has its recordings, NAME/recordings beside NAME/NAME.json.
  const auto folder = std::filesystem::absolute(definition.file).parent_path().parent_path();
  const auto shipped = find_recording(folder, definition, to_text(wanted.problem), wanted.because);
  Source found = source({std::make_shared<const Recording>(read_recording(shipped)), shipped,
                         "No CUDA device here (" + wanted.because + ")"});
  say_ignored();
  return {std::move(found)};
}

Source RecordedBackEnd::source(Replayed replayed) {
  const Recording& recording = *replayed.recording;
  if (!recording.set_aside.empty() && note_)
    note_(describe(recording));
  return {.back_end = this,
          .device = recording.device,
          .can = {.other_problems = false,
                  .one_regime_because = "a recording has one regime and one clock",
                  .same_again = true,
                  .our_data = false},
          .replayed = std::move(replayed)};
}

void RecordedBackEnd::say_ignored() {
  if (!ignored_.empty() && note_)
    note_(fmt::format("this is a replay, which ignores {}", fmt::join(ignored_, ", ")));
  ignored_.clear();
}

OpenedEvaluator RecordedBackEnd::evaluator_for(const EvaluatorRequest& request,
                                               const std::stop_token&) {
  const Recording& recording = *request.source.replayed->recording;
  return {.evaluator = std::make_unique<RecordedEvaluator>(recording, *request.recorded),
          .conditions = request.conditions,
          .in_words = recording.conditions.empty() ? "as recorded" : recording.conditions};
}

} // namespace gridsmith
