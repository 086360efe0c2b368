// SPDX-License-Identifier: Apache-2.0
// Questions to a store that need more than one table row: similarity of scopes, and a scope as a
// recording.
#include "gridsmith/results/formats/parts/row_collector.hpp"
#include "gridsmith/results/measurement/device_distance.hpp"
#include "gridsmith/results/measurement/problem_distance.hpp"
#include "gridsmith/results/store/store.hpp"
#include "gridsmith/results/store/store_schema.hpp"

#include <algorithm>
#include <limits>
#include <tuple>

namespace gridsmith {
namespace {

auto distance(const ScopeKey& key, const Device& device, const Scope& scope) {
  return std::tuple(
      scope.key.definition_hash != key.definition_hash, device_distance(device, scope.device),
      problem_distance(key.problem, scope.key.problem), scope.key.source_hash != key.source_hash,
      scope.key.conditions != key.conditions, -static_cast<double>(scope.correct));
}

} // namespace

std::optional<Scope> Store::nearest(const ScopeKey& key, const Device& device) const {
  std::optional<Scope> best;
  for (Scope& scope : scopes()) {
    if (scope.key.kernel != key.kernel || scope.key == key || scope.correct == 0 ||
        scope.replayed())
      continue;
    if (!best || distance(key, device, scope) < distance(key, device, *best))
      best = std::move(scope);
  }
  return best;
}

std::string recorded_conditions(const Scope& scope) {
  const std::string& all = scope.key.conditions;
  if (scope.replayed())
    return all;
  const std::size_t end = std::min(all.find(set_aside_mark), all.size());
  return summary_of(all.substr(0, end), scope.key.counter_set) + all.substr(end);
}

namespace {

std::optional<Answer> answer_by(const Store& store, ScopeId scope, const std::string& objective) {
  if (objective.empty())
    return store.answer(scope);
  for (Answer& one : store.answers(scope))
    if (objective_name(one.found_by) == objective)
      return std::move(one);
  return std::nullopt;
}

/// @param answer one of the scope's; says what its search knew of the kernel
Recording recording_of(const Store& store, ScopeId id, const std::optional<Answer>& answer) {
  const Scope scope = store.scope(id);
  Recording recording;
  recording.format = scope.replayed() ? scope.key.counter_set : "gridsmith";
  recording.kernel = scope.key.kernel;
  recording.problem = scope.key.problem;
  recording.device = scope.device;
  recording.parameters = scope.parameters;
  recording.peaks = scope.peaks;
  recording.source_hash = scope.key.source_hash;
  recording.conditions = recorded_conditions(scope);
  const auto model = answer ? answer->found_by.model() : store.model(id);
  static_cast<KernelModel&>(recording) = model.value_or(KernelModel());
  RowCollector rows(recording);
  for (Measurement& measurement : store.all(id)) {
    if (!measurement.when.empty() && (recording.date.empty() || measurement.when < recording.date))
      recording.date = measurement.when;
    rows.add(std::move(measurement));
  }
  rows.finish();
  if (recording.date.empty() &&
      !scope.replayed()) // kept today says nothing of when it was measured
    recording.date = scope.when;
  return recording;
}

} // namespace

Recording recording_of(const Store& store, ScopeId scope) {
  return recording_of(store, scope, store.answer(scope));
}

Export export_of(const Store& store, ScopeId scope, const std::string& objective) {
  auto answer = answer_by(store, scope, objective);
  Export exported{recording_of(store, scope, answer), answer};
  if (exported.answer)
    exported.recording.measurements =
        as_ranked(std::move(exported.recording.measurements), exported.answer->ranking);
  return exported;
}

} // namespace gridsmith
