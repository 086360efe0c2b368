#include "gridsmith/tuner/session/visits.hpp"

#include "gridsmith/kernels/definition/first_guesses.hpp"
#include "gridsmith/results/measurement/finals.hpp"
#include "gridsmith/tuner/session/launch_load.hpp"

#include <algorithm>
#include <utility>

namespace gridsmith {
namespace {

/// Of two evaluators, one after the other.
EvaluatorState operator+(EvaluatorState sum, const EvaluatorState& one) {
  sum.start_ms += one.start_ms;
  sum.wait_ms += one.wait_ms;
  sum.last_compiled_ms += one.last_compiled_ms;
  sum.worker_restarts += one.worker_restarts;
  sum.compiler_restarts += one.compiler_restarts;
  sum.spent.compile_ms += one.spent.compile_ms;
  sum.spent.gpu_ms += one.spent.gpu_ms;
  sum.spent.verify_ms += one.spent.verify_ms;
  sum.spent.time_ms += one.spent.time_ms;
  sum.spent.count_ms += one.spent.count_ms;
  return sum;
}

} // namespace

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

/// What earlier visits measured is known, whatever the store has.
RecordKeeping Visits::keeping_known() {
  return {.find = [this, inner = task_.keeping().find](
                      const Configuration& configuration) -> std::optional<Measurement> {
            if (const auto found = known_.find(to_text(configuration)); found != known_.end())
              return result_.measurements[found->second];
            auto stored = inner(configuration);
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
  if (!final)
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
  result_.finals = std::move(visited.finals);
  result_.finalists = std::move(visited.finalists);
  result_.unjudged += visited.unjudged;
  if (result_.unjudged_because.empty())
    result_.unjudged_because = visited.unjudged_because;
  result_.seconds += visited.seconds;
  result_.evaluator = before_rest_ + visited.evaluator; // one for all visits since
}

void Visits::rest() {
  if (task_.close())
    before_rest_ = result_.evaluator;
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
