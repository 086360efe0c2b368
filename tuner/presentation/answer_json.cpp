#include "gridsmith/tuner/presentation/answer_json.hpp"

#include "gridsmith/base/json_fields.hpp"
#include "gridsmith/results/measurement/measurement_json.hpp"
#include "gridsmith/tuner/presentation/answer_facts.hpp"
#include "gridsmith/tuner/presentation/answer_text.hpp"

#include <nlohmann/json.hpp>

namespace gridsmith {
namespace {

nlohmann::json ranked_json(const Subject& subject, const Ranked& one) {
  nlohmann::json json = json_of(one.measurement);
  json["tied"] = one.tied;
  if (subject.access_bytes) {
    const AccessBytes access = subject.access_bytes(one.measurement.configuration);
    json["ideal_sectors_per_request"] = {{"load", ideal_sectors_per_request(access.load)},
                                         {"store", ideal_sectors_per_request(access.store)}};
  }
  json["time_ms"] = {{"median", one.time.median_ms},
                     {"low", one.time.low_ms},
                     {"high", one.time.high_ms},
                     {"first_quartile", one.time.first_quartile_ms},
                     {"third_quartile", one.time.third_quartile_ms},
                     {"min", one.time.min_ms},
                     {"samples", one.time.samples}};
  auto& metrics = json["metrics"] = nlohmann::json::object();
  for (const Metric& metric : metric_catalogue())
    if (const auto value = metric.value(metric_facts(subject, one)))
      metrics[metric.name] = *value;
  if (const auto occupied = predicted_occupancy(subject, one.measurement))
    json["predicted_occupancy"] = {{"percent", 100 * occupied->fraction},
                                   {"limiter", to_text(occupied->limiter)},
                                   {"blocks_per_sm", occupied->blocks_per_sm}};
  return json;
}

} // namespace

nlohmann::json answer_json(const Outcome& outcome) {
  const Subject& subject = outcome.subject;
  const TuningResult& result = outcome.result;
  const std::vector<Ranked>& ranked = outcome.answer.ranking;
  nlohmann::json json = {{"kernel", subject.kernel},
                         {"problem", subject.problem},
                         {"device", to_fields(subject.device)},
                         {"peaks", fields::written(subject.peaks, Fields::changed)},
                         {"recorded", subject.recording.has_value()},
                         {"conditions", subject.conditions},
                         {"date", date_text(subject)},
                         {"configurations", subject.configurations},
                         {"evaluations", result.measurements.size()},
                         {"reused", result.reused},
                         {"interrupted", result.ended == Ended::stopped},
                         {"measured_again", !result.finals.empty()},
                         {"seconds", result.seconds},
                         {"status", count_by_status(result.measurements)},
                         {"verification", verification_text(outcome)}};
  json["work_model"] = {{"bytes", subject.workload.model_bytes},
                        {"flops", subject.workload.model_flops}};
  json["ranking"] = nlohmann::json::array();
  for (const Ranked& one : ranked)
    json["ranking"].push_back(ranked_json(subject, one));
  json["tie_break"] = tie_break(ranked);
  if (!ranked.empty())
    json["best"] = to_text(ranked.front().measurement.configuration);
  if (const auto& problem = result.evaluator.reference_problem)
    json["reference_problem"] = *problem;
  const EvaluatorState& state = result.evaluator;
  json["time_spent_ms"] = {{"start", state.start_ms},        {"compile", state.spent.compile_ms},
                           {"gpu_busy", state.spent.gpu_ms}, {"verify", state.spent.verify_ms},
                           {"time", state.spent.time_ms},    {"count", state.spent.count_ms},
                           {"worker_waited", state.wait_ms}, {"search", result.search_ms}};
  return json;
}

} // namespace gridsmith
