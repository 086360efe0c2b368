// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/tuner/session/replay_record.hpp"

#include "gridsmith/results/measurement/objective.hpp"
#include "gridsmith/results/store/import.hpp"

#include <algorithm>

namespace gridsmith {
namespace {

/// Of one recording times are the same in every replay: whether the earlier answer's best is better, or as good and
/// the best of more.
bool outdoes(const Answer& earlier, const Answer& later, const Device& device) {
  const FoundBy &before = earlier.found_by, &now = later.found_by;
  if (objective_name(before) != objective_name(now) || before.against != now.against ||
      before.configurations != now.configurations || !earlier.winner())
    return false;
  if (!later.winner())
    return true;
  const Configuration& best = later.winner()->measurement.configuration;
  if (now.against.empty() && earlier.winner()->measurement.configuration != best)
    return rank({later.winner()->measurement, earlier.winner()->measurement},
                objective_of(now, device), now.workload)
               .front()
               .measurement.configuration != best;
  return before.evaluations > now.evaluations;
}

} // namespace

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
  const auto earlier = store.answers(scope);
  const bool outdone = std::any_of(earlier.begin(), earlier.end(), [&](const Answer& one) {
    return outdoes(one, outcome.answer, subject.device);
  });
  if (is_answer && !outcome.answer.ranking.empty() && !outdone)
    store.add_answer(scope, outcome.answer);
}

} // namespace gridsmith
