// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/tuner/session/visits.hpp"

#include "gridsmith/kernels/definition/first_guesses.hpp"
#include "gridsmith/metrics/catalogue/counter_sets.hpp"
#include "gridsmith/results/measurement/finals.hpp"
#include "gridsmith/results/selection/size_table.hpp"
#include "gridsmith/tuner/loop/late_counters.hpp"
#include "gridsmith/tuner/session/launch_load.hpp"

#include <algorithm>
#include <utility>

namespace gridsmith {

Visits::Visits(const SessionSettings& settings, const KernelDefinition& definition,
               const ProblemSize& problem, const Source& source, const Listener& listener,
               SharedTurn& turn, const std::stop_token& stop)
    : settings_(settings), listener_(listener),
      task_(settings, &definition, problem, source, listener, turn, stop) {
}

void Visits::begin_with(const std::vector<Configuration>& wanted, std::size_t most) {
  for (const Configuration& one : wanted)
    if (const auto id = task_.space().find(one); id && first_.size() < most)
      first_.push_back(*id);
}

CampaignProblem Visits::campaign_problem() const {
  const KernelInstance& instance = task_.instance();
  const SearchSpace& space = task_.space();
  std::vector<ConfigurationId> seeds = first_guesses(instance, space, 1);
  seeds.insert(seeds.end(), first_.begin(), first_.end());
  return {.space = &space,
          .extents = instance.problem.extents,
          .seeds = std::move(seeds),
          .load = [&](ConfigurationId id) { return launch_load(instance, space.at(id)); }};
}

/// Looked up once.
const std::optional<Measurement>& Visits::stored(const Configuration& configuration) {
  const auto [entry, fresh] = stored_.try_emplace(to_text(configuration));
  if (fresh)
    entry->second = task_.keeping().find(configuration);
  return entry->second;
}

void Visits::compile_ahead(std::span<const ConfigurationId> ids, const std::stop_token& stop) {
  task_.open(stop);
  std::vector<ConfigurationId> unknown;
  for (const ConfigurationId id : ids) {
    const Configuration one = task_.space().at(id);
    if (!known_.contains(to_text(one)) && !stored(one))
      unknown.push_back(id);
  }
  if (!unknown.empty())
    task_.compile_ahead(unknown);
}

/// What earlier visits measured is known, whatever the store has.
RecordKeeping Visits::keeping_known() {
  return {.find = [this](const Configuration& configuration) -> std::optional<Measurement> {
            if (const auto found = known_.find(to_text(configuration)); found != known_.end())
              return result_.measurements[found->second];
            const auto& stored = this->stored(configuration);
            result_.reused += stored ? 1 : 0;
            return stored;
          },
          .add = task_.keeping().add,
          .add_counters = task_.keeping().add_counters};
}

std::vector<Observation> Visits::visit(const std::vector<ConfigurationId>& ask, bool final,
                                       std::optional<double> seconds, const ProgressSink& progress,
                                       const std::stop_token& stop) {
  const bool first = known_.empty();
  const SearchSpace& space = task_.space();
  task_.open(stop);
  if (first && listener_.begun)
    listener_.begun(task_.subject());
  // What is known comes first, so that the new ones race against it.
  std::vector<ConfigurationId> ids;
  ids.reserve(result_.measurements.size() + ask.size());
  for (const Measurement& one : result_.measurements)
    ids.push_back(*space.find(one.configuration));
  const std::size_t before = ids.size();
  ids.insert(ids.end(), ask.begin(), ask.end());
  const auto listed =
      make_strategy("random", {.space = space, .seed = settings_.seed, .seeds = ids});
  FinalsRules finals = settings_.finals;
  if (const auto& usual = task_.subject().default_configuration)
    finals.always.push_back(*usual);
  for (const ConfigurationId id : first_)
    finals.always.push_back(space.at(id));
  if (final)
    for (Configuration& one : witnesses())
      finals.always.push_back(std::move(one));
  else
    finals.most = 0;
  take(task_.measure(*listed, keeping_known(), {.evaluations = ids.size(), .seconds = seconds},
                     finals, progress, stop));
  std::vector<Observation> news;
  for (std::size_t i = 0; i < result_.measurements.size(); ++i)
    if (i >= before || overrules(result_.measurements[i]))
      news.push_back(observation_of(*space.find(result_.measurements[i].configuration),
                                    result_.measurements[i], objective(settings_.objective),
                                    task_.subject().workload));
  return news;
}

/// Of whether the board is as fast as the store remembers.
std::vector<Configuration> Visits::witnesses() const {
  std::vector<Measurement> from_store;
  for (const Measurement& one : result_.measurements)
    if (const auto found = stored_.find(to_text(one.configuration));
        found != stored_.end() && found->second)
      from_store.push_back(one);
  return drift_witnesses(std::move(from_store), objective(settings_.objective),
                         task_.subject().workload);
}

/// Adds a visit to those before it.
void Visits::take(TuningResult visited) {
  for (Measurement& one : visited.measurements) {
    const auto [known, fresh] =
        known_.emplace(to_text(one.configuration), result_.measurements.size());
    if (fresh)
      result_.measurements.push_back(std::move(one));
    else if (overrules(one))
      result_.measurements[known->second] = std::move(one);
  }
  if (!visited.finals.empty()) { // they are measured once
    result_.finals = std::move(visited.finals);
    result_.finalists = std::move(visited.finalists);
  }
  result_.unjudged += visited.unjudged;
  if (result_.unjudged_because.empty())
    result_.unjudged_because = visited.unjudged_because;
  result_.seconds += visited.seconds;
  add_state(visited.evaluator);
}

/// @param visited of the evaluator of now, which is one for all visits since the last rest
void Visits::add_state(const EvaluatorState& visited) {
  result_.evaluator = visited;
  add(result_.evaluator, before_rest_);
}

void Visits::count_winner(const GiveUp& give_up, const std::stop_token& stop) {
  const std::string& counters = settings_.conditions.counter_set;
  const Objective& wanted = objective(settings_.objective);
  const auto ranking = rank(result_.finals, wanted, task_.subject().workload);
  if (ranking.empty() || !wanted.by_time || counters_of_finals(counters) == counters)
    return; // or they are counted already
  task_.open(stop);
  const auto winner =
      std::find_if(result_.finals.begin(), result_.finals.end(), [&](const Measurement& one) {
        return one.configuration == ranking.front().measurement.configuration;
      });
  count_final(*task_.evaluator(), task_.keeping(), *winner, give_up);
  add_state(task_.evaluator()->state());
}

void Visits::count_races(const GiveUp& give_up, const std::stop_token& stop) {
  if (known_.empty())
    return;
  task_.open(stop);
  gridsmith::count_races(*task_.evaluator(), task_.keeping(), result_, give_up);
  add_state(task_.evaluator()->state());
}

void Visits::rest() {
  if (task_.close())
    before_rest_ = result_.evaluator;
}

Recording Visits::recording() const {
  Recording recording = recording_of(task_.subject());
  recording.measurements = rows_to_choose_from(result_.measurements, result_.finals);
  return recording;
}

Outcome Visits::outcome(Ended ended) {
  result_.ended = ended;
  Outcome outcome = task_.outcome_of(result_, settings_.finals);
  for (const ConfigurationId id : first_)
    outcome.begun_with.push_back(task_.space().at(id));
  return outcome;
}

SharedChoice Visits::shared_choice(ConfigurationId id) const {
  const auto cost = [&](const Measurement& one) {
    return objective(settings_.objective).cost(one, task_.subject().workload);
  };
  const Configuration chosen = task_.space().at(id);
  const auto own = cost(result_.measurements[known_.at(to_text(chosen))]);
  double best = *own;
  for (const Measurement& one : result_.measurements)
    best = std::min(best, cost(one).value_or(best));
  return {chosen, *own / best - 1};
}

} // namespace gridsmith
