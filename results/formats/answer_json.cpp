// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/results/formats/answer_json.hpp"

#include "gridsmith/base/error.hpp"
#include "gridsmith/base/json_fields.hpp"
#include "gridsmith/base/json_text.hpp"
#include "gridsmith/base/version.hpp"
#include "gridsmith/kernels/definition/first_guesses.hpp"
#include "gridsmith/kernels/definition/problem_size.hpp"
#include "gridsmith/results/explanation/explanation.hpp"
#include "gridsmith/results/measurement/derived.hpp"
#include "gridsmith/results/measurement/failures.hpp"
#include "gridsmith/results/measurement/front.hpp"
#include "gridsmith/results/measurement/quantities.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <set>

namespace gridsmith {
namespace {

using Ordered = nlohmann::ordered_json;

/// Null for what is not known.
Ordered known(double value) {
  return value > 0 ? Ordered(value) : Ordered(nullptr);
}

Ordered time_json(const TimeSummary& time) {
  return {{"median", time.median_ms},
          {"low", time.low_ms},
          {"high", time.high_ms},
          {"first_quartile", time.first_quartile_ms},
          {"third_quartile", time.third_quartile_ms},
          {"min", time.min_ms},
          {"samples", time.samples}};
}

Ordered metrics_json(const Recording& of, const Workload& workload, const Ranked& one) {
  const MetricFacts facts = metric_facts(one.measurement, of.device, of.peaks, workload,
                                         one.time.median_ms, of.own_metrics);
  Ordered metrics = Ordered::object();
  for (const auto* list : {&metric_catalogue(), &of.own_metrics.metrics})
    for (const Metric& metric : *list)
      if (const auto value = metric_value(metric, facts))
        metrics[metric.name] = *value;
  return metrics;
}

/// Null where its rate can be.
Ordered doubt_json(const Recording& of, const Workload& workload, const Ranked& one) {
  const auto doubt = rate_doubt(one.measurement, board_of(of), workload);
  if (!doubt)
    return nullptr;
  return {{"rate", doubt->rate},
          {"unit", doubt->unit},
          {"peak", doubt->name},
          {"reached", doubt->peak}};
}

Ordered ranked_json(const Recording& of, const Workload& workload, const Ranked& one) {
  const Measurement& measurement = one.measurement;
  Ordered json;
  json["configuration"] = object_of(measurement.configuration);
  json["tied"] = one.tied;
  json["time_ms"] = time_json(one.time);
  json["samples_ms"] = measurement.times_ms;
  json["verification"] = to_text(measurement.verification);
  if (const auto same = same_code(of.measurements, measurement); !same.empty()) {
    Ordered& list = json["same_code"] = Ordered::array();
    for (const Measurement* other : same)
      list.push_back(object_of(other->configuration));
  }
  json["measured"] = or_null(measurement.when);
  json["conditions"] = conditions_of(of, measurement);
  for (const Quantity& fact : measured_facts())
    if (fact.seen & Quantity::in_answer)
      if (const auto value = fact.value(measurement, of))
        json[fact.name] = fact.is_whole() ? Ordered(std::llround(*value)) : Ordered(*value);
  if (measurement.geometry != Geometry{})
    json["geometry"] = fields::written(measurement.geometry, Fields::all);
  if (measurement.compile_facts)
    json["compile_facts"] = to_fields(*measurement.compile_facts, Fields::all);
  json["counters"] = measurement.counters;
  json["metrics"] = metrics_json(of, workload, one);
  json["compared_after"] = measurement.compared_after;
  json["doubt"] = doubt_json(of, workload, one);
  if (const auto& other = measurement.other_gpu)
    json["other_gpu"] = {{"uuid", other->uuid}, {"ratio", other->ratio}};
  if (const auto occupied = predicted_occupancy(of.device, measurement))
    json["predicted_occupancy"] = {{"percent", 100 * occupied->fraction},
                                   {"limiter", to_text(occupied->limiter)},
                                   {"blocks_per_sm", occupied->blocks_per_sm}};
  return json;
}

/// Why the best takes as long as it does.
Ordered why_json(const Export& exported, const Verdict& verdict) {
  const std::string how = how_to_count(exported.definition.get(), exported.recording.problem);
  Ordered json = {{"bound", to_text(verdict.bound)},
                  {"text", why_text(verdict, how)},
                  {"causes", Ordered::array()}};
  for (const Finding& one : verdict.findings)
    json["causes"].push_back(finding_json(one));
  return json;
}

Ordered gpu_json(const GpuPart& gpu) {
  Ordered json;
  json["name"] = gpu.name;
  json["uuid"] = or_null(gpu.uuid);
  json["evaluations"] = gpu.evaluations;
  json["ratio"] = or_null(gpu.ratio);
  json["best"] = gpu.best ? object_of(*gpu.best) : Ordered(nullptr);
  json["loss"] = or_null(gpu.loss);
  json["left_out_because"] = or_null(gpu.lost);
  return json;
}

Ordered status_json(const Recording& of) {
  std::map<std::string, std::size_t> counts;
  for (const Measurement& measurement : of.measurements)
    ++counts[std::string(to_text(measurement.status))];
  return counts;
}

/// Why configurations failed, the commonest reason first.
Ordered failures_json(const Recording& of) {
  Ordered list = Ordered::array();
  for (const FailureGroup& group : failure_groups(of.measurements))
    list.push_back({{"status", to_text(group.status)},
                    {"reason", group.reason},
                    {"count", group.count},
                    {"example", object_of(group.first->configuration)}});
  return list;
}

/// Null where nobody was measured again, as in a replay.
Ordered confirmed_json(const FoundBy& found_by) {
  if (found_by.unconfirmed)
    return false;
  return found_by.measured_again && found_by.recording.empty() ? Ordered(true) : Ordered(nullptr);
}

/// What right results were compared with, each once.
Ordered verification_json(const Recording& of) {
  std::set<std::string> words;
  for (const Measurement& measurement : of.measurements)
    if (measurement.correct())
      words.insert(std::string(to_text(measurement.verification)));
  return words;
}

void add_search(Ordered& json, const FoundBy& found_by, std::size_t evaluations) {
  json["strategy"] = or_null(found_by.strategy);
  json["seed"] = found_by.strategy.empty() ? Ordered(nullptr) : Ordered(found_by.seed);
  json["objective"] = or_null(found_by.objective);
  if (!found_by.against.empty())
    json["against"] = found_by.against;
  json["configurations"] =
      found_by.configurations > 0 ? Ordered(found_by.configurations) : Ordered(nullptr);
  json["evaluations"] = evaluations;
  json["seconds"] = known(found_by.seconds);
  json["interrupted"] = found_by.interrupted;
  if (found_by.drawn)
    json["drawn"] = true;
  json["chance_of_gain"] = or_null(found_by.chance_of_gain);
  json["measured_again"] = found_by.measured_again;
}

} // namespace

Answer answer_of(const Export& exported) {
  const Recording& of = exported.recording;
  const Board board = board_of(of);
  Answer answer{"", {}};
  if (exported.answer)
    answer = *exported.answer;
  else {
    answer.found_by.workload = of.workload;
    answer.ranking =
        rank_as_measured(of.measurements, {}, objectives().front(), of.workload, board);
  }
  hold_against(answer, board);
  return answer;
}

std::optional<Configuration> default_of(const Export& exported) {
  if (exported.answer && exported.answer->found_by.default_configuration)
    return exported.answer->found_by.default_configuration;
  const Recording& of = exported.recording;
  if (!exported.definition || of.measurements.empty())
    return std::nullopt;
  try {
    const RecordedSpace recorded(of);
    const auto extents = extents_of(of.problem);
    const KernelInstance instance =
        instantiate(*exported.definition, ProblemSize{extents}, of.device);
    const auto id = default_configuration(instance, recorded.space());
    return id ? std::optional(recorded.space().at(*id)) : std::nullopt;
  } catch (const InputError&) { // of a device or a problem that is not known well enough
    return std::nullopt;
  }
}

Winner winner_of(const Export& exported, const Influence& known) {
  const Answer answer = answer_of(exported);
  return winner_of(exported.recording, answer.ranking, default_of(exported), known,
                   objective_of(answer.found_by, exported.recording.device));
}

const Measurement* row_of(const Recording& recording, const std::optional<Configuration>& wanted) {
  for (const Measurement& one : recording.measurements)
    if (wanted && one.configuration == *wanted)
      return &one;
  return nullptr;
}

Ordered answer_json(const Export& exported) {
  const Recording& of = exported.recording;
  Answer answer = answer_of(exported);
  answer.found_by.default_configuration = default_of(exported);
  const FoundBy& found_by = answer.found_by;
  Ordered json;
  json["schema"] = answer_schema;
  json["gridsmith"] = version();
  json["found_by_version"] = or_null(found_by.version);
  json["kernel"] = of.kernel;
  json["problem"] = of.problem;
  json["device"] = to_fields(of.device);
  json["peaks"] = fields::written(of.peaks, Fields::all);
  json["replayed"] = is_replay(exported);
  json["recording"] = or_null(found_by.recording);
  json["source_hash"] = or_null(of.source_hash);
  json["conditions"] = of.conditions;
  json["date"] = or_null(of.date);
  json["answered"] = or_null(answer.when);
  add_search(json, found_by, of.measurements.size());
  json["confirmed"] = confirmed_json(found_by);
  json["not_confirmed_because"] =
      or_null(not_confirmed_because(answer, of.measurements, board_of(of)));
  json["status"] = status_json(of);
  json["failures"] = failures_json(of);
  json["shared_measurements"] = count_shared(of.measurements);
  json["given_up_compilations"] =
      std::count_if(of.measurements.begin(), of.measurements.end(), compile_given_up);
  json["verification"] = verification_json(of);
  json["work_model"] = {{"bytes", known(found_by.workload.model_bytes)},
                        {"flops", known(found_by.workload.model_flops)}};
  json["default"] = found_by.default_configuration ? object_of(*found_by.default_configuration)
                                                   : Ordered(nullptr);
  Ordered ranking = Ordered::array();
  for (const Ranked& one : answer.ranking)
    ranking.push_back(ranked_json(of, found_by.workload, one));
  json["best"] = ranking.empty() || found_by.unconfirmed ? Ordered(nullptr) : ranking.front();
  json["why"] = json["winner"] = nullptr;
  if (!json["best"].is_null()) {
    const Verdict verdict = verdict_on(answer.ranking.front().measurement, exported.recording);
    json["why"] = why_json(exported, verdict);
    json["winner"] =
        winner_json(winner_of(exported, influence_on_time(exported.recording)), verdict);
  }
  json["ranking"] = std::move(ranking);
  json["tie_break"] = tie_break(answer.ranking, found_by);
  if (!found_by.against.empty())
    json["front"] = Ordered::array();
  for (const FrontPoint& one : front_of(answer, of.device))
    json["front"].push_back({{"configuration", object_of(one.measurement->configuration)},
                             {"first", one.first},
                             {"second", one.second},
                             {"knee", one.knee}});
  for (const GpuPart& gpu : found_by.gpus)
    json["gpus"].push_back(gpu_json(gpu));
  if (found_by.stored_drift)
    json["stored_drift"] = fields::written(*found_by.stored_drift, Fields::all);
  return json;
}

std::string answers_text(std::span<const Export> exports) {
  Ordered answers = Ordered::array();
  for (const Export& exported : exports)
    answers.push_back(answer_json(exported));
  return json_text(Ordered{{"schema", answers_schema}, {"answers", std::move(answers)}}, 2) + "\n";
}

} // namespace gridsmith
