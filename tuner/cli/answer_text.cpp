#include "gridsmith/tuner/cli/answer_text.hpp"

#include "gridsmith/base/clock_text.hpp"
#include "gridsmith/base/json_fields.hpp"
#include "gridsmith/base/text_table.hpp"
#include "gridsmith/metrics/counters/counters.hpp"
#include "gridsmith/results/measurement/measurement_json.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <optional>

namespace gridsmith {
namespace {

MetricFacts facts(const Subject& subject, const Ranked& one) {
  return {.counters = one.measurement.counters,
          .device = subject.device,
          .time_ms = one.time.median_ms,
          .model_bytes = subject.workload.model_bytes,
          .model_flops = subject.workload.model_flops,
          .copy_gb_per_s = peak_of(subject.peaks, "copy")};
}

std::optional<Occupancy> predicted(const Subject& subject, const Measurement& measurement) {
  if (!measurement.compile_facts || subject.device.max_threads_per_sm == 0)
    return std::nullopt;
  const Occupancy found = occupancy(subject.device, *measurement.compile_facts,
                                    static_cast<int>(measurement.geometry.threads_per_block()),
                                    measurement.geometry.dynamic_shared_bytes);
  return found.blocks_per_sm ? std::optional(found) : std::nullopt;
}

std::string interval_cell(const TimeSummary& time) {
  const double half = (time.high_ms - time.low_ms) / 2;
  return time.samples > 1 ? fmt::format("±{:.2f}", 100 * half / time.median_ms) : "";
}

/// A column says what it is and how a row fills it.
struct AnswerColumn {
  Column head;
  std::function<std::string(const Ranked&)> cell;
};

AnswerColumn metric_column(const Subject& subject, Column head, std::string_view name) {
  return {std::move(head), [&subject, name](const Ranked& one) {
            const auto value = metric_value(name, facts(subject, one));
            return value ? number_text(*value) : std::string();
          }};
}

/// 32-byte sectors per request, the field's transactions per access, and in brackets what a
/// coalesced warp needs for accesses of this size.
AnswerColumn sectors_column(const Subject& subject, Column head, std::string_view name,
                            int AccessBytes::* bytes) {
  return {std::move(head), [&subject, name, bytes](const Ranked& one) -> std::string {
            const auto value = metric_value(name, facts(subject, one));
            if (!value || !subject.access_bytes)
              return value ? number_text(*value) : "";
            const int access = subject.access_bytes(one.measurement.configuration).*bytes;
            return fmt::format("{} ({})", number_text(*value),
                               number_text(ideal_sectors_per_request(access)));
          }};
}

std::vector<AnswerColumn> columns_of(const Subject& subject) {
  const auto& parameters = subject.parameters;
  return {
      {{"configuration", "", true},
       [&](const Ranked& one) { return short_text(one.measurement.configuration, parameters); }},
      {{"time", "ms"}, [](const Ranked& one) { return number_text(one.time.median_ms); }},
      {{"interval", "%"}, [](const Ranked& one) { return interval_cell(one.time); }},
      {{"n", ""}, [](const Ranked& one) { return std::to_string(one.time.samples); }},
      metric_column(subject, {"effective", "GB/s"}, "effective_gb_per_s"),
      metric_column(subject, {"compute", "GFLOP/s"}, "gflop_per_s"),
      sectors_column(subject, {"ld sect/req", "(ideal)"}, "load_sectors_per_request",
                     &AccessBytes::load),
      sectors_column(subject, {"st sect/req", "(ideal)"}, "store_sectors_per_request",
                     &AccessBytes::store),
      metric_column(subject, {"DRAM", "GB/s"}, "dram_gb_per_s"),
      metric_column(subject, {"of peak", "%"}, "dram_percent_of_peak"),
      metric_column(subject, {"achieved occ", "%"}, "achieved_occupancy"),
      {{"predicted occ", "%"},
       [&](const Ranked& one) {
         const auto found = predicted(subject, one.measurement);
         return found ? number_text(100 * found->fraction) : std::string();
       }},
      {{"limiter", "", true},
       [&](const Ranked& one) {
         const auto found = predicted(subject, one.measurement);
         return std::string(found ? to_text(found->limiter) : "");
       }},
      {{"regs", ""}, [](const Ranked& one) {
         const auto& compiled = one.measurement.compile_facts;
         return compiled ? std::to_string(compiled->registers_per_thread) : std::string();
       }}};
}

std::string ranking_table(const Subject& subject, const std::vector<Ranked>& ranking) {
  const std::vector<AnswerColumn> columns = columns_of(subject);
  std::vector<Column> heads = {{"", "", true}};
  for (const AnswerColumn& column : columns)
    heads.push_back(column.head);
  Table table(heads);
  for (std::size_t place = 0; place < ranking.size(); ++place) {
    const Ranked& one = ranking[place];
    std::vector<std::string> cells = {place == 0 ? "best"
                                      : one.tied ? "tied"
                                                 : std::to_string(place + 1)};
    for (const AnswerColumn& column : columns)
      cells.push_back(column.cell(one));
    table.add(std::move(cells));
  }
  return table.text();
}

std::map<std::string, std::size_t> by_status(const std::vector<Measurement>& measurements) {
  std::map<std::string, std::size_t> counts;
  for (const Measurement& measurement : measurements)
    ++counts[std::string(to_text(measurement.status))];
  return counts;
}

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
                     {"min", one.time.min_ms},
                     {"samples", one.time.samples}};
  auto& metrics = json["metrics"] = nlohmann::json::object();
  for (const Metric& metric : metric_catalogue())
    if (const auto value = metric.value(facts(subject, one)))
      metrics[metric.name] = *value;
  if (const auto occupied = predicted(subject, one.measurement))
    json["predicted_occupancy"] = {{"percent", 100 * occupied->fraction},
                                   {"limiter", to_text(occupied->limiter)},
                                   {"blocks_per_sm", occupied->blocks_per_sm}};
  return json;
}

} // namespace

std::string short_text(const Configuration& configuration,
                       const std::vector<Parameter>& parameters) {
  std::string text;
  for (const auto& [name, value] : configuration) {
    const auto parameter = std::find_if(parameters.begin(), parameters.end(),
                                        [&](const Parameter& one) { return one.name == name; });
    if (parameter == parameters.end() || parameter->values.size() > 1)
      text += (text.empty() ? "" : " ") + name + "=" + to_text(value);
  }
  return text.empty() ? to_text(configuration) : text;
}

std::string date_text(const Subject& subject) {
  const std::string day = subject.date.substr(0, 10);
  if (!subject.recording)
    return day;
  return day.empty() ? "date unknown" : "recorded " + day;
}

std::string answer_text(const Outcome& outcome) {
  const Subject& subject = outcome.subject;
  const std::vector<Ranked>& ranked = outcome.answer.ranking;
  if (ranked.empty())
    return "No configuration gave a right result.\n";
  std::string text = ranking_table(subject, ranked);
  const Ranked& best = ranked.front();
  text += fmt::format(
      "\nBest on {}: {}\n  {} ms (95 % interval of the median {} to {}, {} samples; {}; {})\n",
      subject.device.name, short_text(best.measurement.configuration, subject.parameters),
      number_text(best.time.median_ms), number_text(best.time.low_ms),
      number_text(best.time.high_ms), best.time.samples, subject.conditions, date_text(subject));
  if (const auto copy = metric_value("percent_of_copy", facts(subject, best)))
    text += fmt::format(
        "  effective bandwidth is {:.1f} % of the device-to-device copy measured in the same run "
        "({} GB/s)\n",
        *copy, number_text(*peak_of(subject.peaks, "copy")));
  if (const std::size_t ties = outcome.answer.ties(); ties > 0)
    text += fmt::format("  {} other{} cannot be told apart from it by time (tied above); it moves "
                        "the fewest bytes, "
                        "then uses the fewest registers\n",
                        ties, ties == 1 ? "" : "s");
  if (const auto& why = best.measurement.uncounted_because;
      why && best.measurement.counters.empty())
    text += "  not counted: " + *why + "\n";
  return text;
}

std::string summary_text(const Outcome& outcome) {
  const TuningResult& result = outcome.result;
  std::string text = fmt::format("{} evaluations in {}", result.measurements.size(),
                                 duration_text(result.seconds));
  for (const auto& [status, count] : by_status(result.measurements))
    text += fmt::format(", {} {}", count, status);
  const auto pruned = std::count_if(result.measurements.begin(), result.measurements.end(),
                                    [](const Measurement& one) { return one.pruned_early; });
  if (pruned > 0)
    text += fmt::format(", {} pruned early", pruned);
  if (result.reused > 0)
    text += fmt::format(", {} from the store", result.reused);
  text += '\n';
  if (outcome.subject.recording || result.evaluator.start_ms == 0)
    return text;
  const EvaluatorState& state = result.evaluator;
  text += fmt::format(
      "time: start {}, compile {} over all compilers, GPU busy {} ({:.0f} %), verify {}, time {}, "
      "count {}, worker waited {}, search {}\n",
      duration_text(state.start_ms / 1000), duration_text(state.spent.compile_ms / 1000),
      duration_text(state.spent.gpu_ms / 1000),
      result.seconds > 0 ? state.spent.gpu_ms / result.seconds / 10 : 0.0,
      duration_text(state.spent.verify_ms / 1000), duration_text(state.spent.time_ms / 1000),
      duration_text(state.spent.count_ms / 1000), duration_text(state.wait_ms / 1000),
      duration_text(result.search_ms / 1000));
  if (state.worker_restarts + state.compiler_restarts > 0)
    text += fmt::format("replaced: {} workers, {} compilers\n", state.worker_restarts,
                        state.compiler_restarts);
  return text;
}

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
                         {"evaluations", result.measurements.size()},
                         {"reused", result.reused},
                         {"interrupted", result.ended == Ended::stopped},
                         {"seconds", result.seconds},
                         {"status", by_status(result.measurements)}};
  json["work_model"] = {{"bytes", subject.workload.model_bytes},
                        {"flops", subject.workload.model_flops}};
  json["ranking"] = nlohmann::json::array();
  for (const Ranked& one : ranked)
    json["ranking"].push_back(ranked_json(subject, one));
  if (!ranked.empty())
    json["best"] = to_text(ranked.front().measurement.configuration);
  const EvaluatorState& state = result.evaluator;
  json["time_spent_ms"] = {{"start", state.start_ms},        {"compile", state.spent.compile_ms},
                           {"gpu_busy", state.spent.gpu_ms}, {"verify", state.spent.verify_ms},
                           {"time", state.spent.time_ms},    {"count", state.spent.count_ms},
                           {"worker_waited", state.wait_ms}, {"search", result.search_ms}};
  return json;
}

} // namespace gridsmith
