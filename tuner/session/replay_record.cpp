// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/tuner/session/replay_record.hpp"

#include "gridsmith/results/store/import.hpp"

namespace gridsmith {
namespace {

ScopeKey replay_key(const Subject& subject) {
  return {.kernel = subject.kernel,
          .source_hash = replayed_hash(subject.recording.value_or("")),
          .definition_hash = "",
          .device_name = subject.device.name,
          .device_uuid = subject.device.uuid,
          .driver = subject.device.driver_version,
          .toolkit = subject.device.toolkit_version,
          .problem = subject.problem,
          .conditions = subject.conditions,
          .counter_set = subject.format};
}

} // namespace

void keep_replay(const std::filesystem::path& file, const Outcome& outcome, const Run& run,
                 bool is_answer) {
  const Subject& subject = outcome.subject;
  Store store = Store::open(file, Store::Mode::read_write);
  const ScopeId scope = store.declare(replay_key(subject), subject.device, subject.parameters);
  store.add(scope, missing(store, scope, outcome.result.measurements), store.begin_run(scope, run));
  if (!subject.peaks.empty())
    store.set_peaks(scope, subject.peaks);
  if (is_answer && !outcome.answer.ranking.empty())
    store.add_answer(scope, outcome.answer);
}

} // namespace gridsmith
