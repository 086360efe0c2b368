// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/tuner/session/replay_record.hpp"

#include "gridsmith/results/store/import.hpp"

namespace gridsmith {
void keep_replay(const std::filesystem::path& file, const Outcome& outcome, const Run& run,
                 bool is_answer) {
  const Subject& subject = outcome.subject;
  Store store = Store::open(file, Store::Mode::read_write);
  const ScopeKey key =
      key_of_file(subject, replayed_hash(subject.recording.value_or("")), subject.format);
  const ScopeId scope = store.declare(key, subject.device, subject.parameters);
  store.add(scope, missing(store, scope, outcome.result.measurements), store.begin_run(scope, run));
  if (!subject.peaks.empty())
    store.set_peaks(scope, subject.peaks);
  if (is_answer && !outcome.answer.ranking.empty())
    store.add_answer(scope, outcome.answer);
}

} // namespace gridsmith
