// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/tuner/presentation/answer_json.hpp"

#include "gridsmith/base/json_fields.hpp"
#include "gridsmith/metrics/catalogue/metrics.hpp"
#include "gridsmith/results/formats/answer_json.hpp"

#include <nlohmann/json.hpp>

namespace gridsmith {
namespace {

using Ordered = nlohmann::ordered_json;

/// Sectors that a coalesced warp's accesses of this configuration need.
void add_ideal(Ordered& ranked, const Subject& subject, const Ranked& one) {
  const AccessBytes access = subject.access_bytes(one.measurement.configuration);
  ranked["ideal_sectors_per_request"] = {{"load", ideal_sectors_per_request(access.load)},
                                         {"store", ideal_sectors_per_request(access.store)}};
}

/// How the best there fares, and the winner.
Ordered finals_json(const Outcome& outcome, const FinalsUnder& there) {
  Ordered row;
  row["regime"] = to_text(there.regime);
  if (there.locked_clock_mhz)
    row["locked_clock_mhz"] = *there.locked_clock_mhz;
  if (there.ranking.empty())
    return row;
  const FoundBy& found_by = outcome.answer.found_by;
  const Objective by = objective_of(found_by, outcome.subject.device);
  const Ranked& best = there.ranking.front();
  row["time_ms"] = best.time.median_ms;
  row["low_ms"] = best.time.low_ms;
  row["high_ms"] = best.time.high_ms;
  if (const auto value = by.value(best.measurement, found_by.workload);
      value && by.name != objectives().front().name)
    row["value"] = *value; // of the objective
  row["configuration"] = object_of(best.measurement.configuration);
  const Configuration& winner = outcome.answer.ranking.front().measurement.configuration;
  if (const auto loss = excess_cost(there.ranking, winner, by, found_by.workload))
    row["loss_of_best"] = *loss;
  return row;
}

} // namespace

Ordered answer_json(const Outcome& outcome) {
  const TuningResult& result = outcome.result;
  const std::vector<Ranked>& ranking = outcome.answer.ranking;
  Ordered json = answer_json(outcome.exported());
  if (outcome.subject.access_bytes && !ranking.empty()) {
    for (std::size_t place = 0; place < ranking.size(); ++place)
      add_ideal(json["ranking"][place], outcome.subject, ranking[place]);
    if (!json["best"].is_null())
      add_ideal(json["best"], outcome.subject, ranking.front());
  }
  json["reused"] = result.reused;
  if (const std::string why = shortfall(outcome); !why.empty())
    json["shortfall"] = why;
  if (const auto& shared = outcome.for_all) {
    json["for_all"]["loss"] = shared->loss;
    json["for_all"]["configuration"] = object_of(shared->configuration);
  }
  for (const FinalsUnder& one : outcome.regimes)
    json["regimes"].push_back(finals_json(outcome, one));
  for (const FinalsUnder& one : outcome.clocks)
    json["clocks"].push_back(finals_json(outcome, one));
  if (const auto& problem = result.evaluator.reference_problem)
    json["reference_problem"] = *problem;
  if (const auto& checked = result.evaluator.elements_checked)
    json["reference_elements_checked"] = *checked;
  if (const auto& part = result.evaluator.only_written)
    json["only_written"] = {{"written", part->written}, {"elements", part->elements}};
  const EvaluatorState& state = result.evaluator;
  json["time_spent_ms"] = {{"start", state.start_ms},        {"compile", state.spent.compile_ms},
                           {"gpu_busy", state.spent.gpu_ms}, {"verify", state.spent.verify_ms},
                           {"time", state.spent.time_ms},    {"count", state.spent.count_ms},
                           {"worker_waited", state.wait_ms}, {"search", result.search_ms}};
  json["compilations"] = {{"all", state.compilations},
                          {"headers_made", state.headers_made},
                          {"headers_used", state.headers_used}};
  return json;
}

} // namespace gridsmith
