#include "gridsmith/tuner/cli/answer_text.hpp"

#include "gridsmith/metrics/counters/counters.hpp"
#include "gridsmith/base/clock_text.hpp"
#include "gridsmith/base/text_table.hpp"
#include "gridsmith/results/measurement/measurement_json.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <map>
#include <optional>

namespace gridsmith {
namespace {

MetricFacts facts(const AnswerContext& context, const Ranked& one) {
  return {.counters = one.measurement.counters,
          .device = context.device,
          .time_ms = one.time.median_ms,
          .model_bytes = context.model_bytes,
          .model_flops = context.model_flops};
}

std::string metric_cell(std::string_view name, const MetricFacts& facts) {
  const auto value = metric_value(name, facts);
  return value ? number_text(*value) : "";
}

/// 32-byte sectors per request, the field's transactions per access, and in brackets what a
/// coalesced warp needs for accesses of this size.
std::string sectors_cell(std::string_view name, const MetricFacts& facts, int access_bytes) {
  const std::string measured = metric_cell(name, facts);
  if (measured.empty() || access_bytes == 0)
    return measured;
  return fmt::format("{} ({})", measured, number_text(ideal_sectors_per_request(access_bytes)));
}

Occupancy predicted(const AnswerContext& context, const Measurement& measurement) {
  if (!measurement.compile_facts || context.device.max_threads_per_sm == 0)
    return {};
  return occupancy(context.device, *measurement.compile_facts,
                   static_cast<int>(measurement.geometry.threads_per_block()),
                   measurement.geometry.dynamic_shared_bytes);
}

std::vector<std::string> row(const AnswerContext& context, const Ranked& one, std::size_t place) {
  const MetricFacts with = facts(context, one);
  const Measurement& m = one.measurement;
  const Occupancy occupied = predicted(context, m);
  const std::optional<AccessBytes> access =
      context.access_bytes ? std::optional(context.access_bytes(m.configuration)) : std::nullopt;
  const double half = (one.time.high_ms - one.time.low_ms) / 2;
  return {place == 0 ? "best"
          : one.tied ? "tied"
                     : fmt::format("{}", place + 1),
          short_text(m.configuration, context.parameters),
          number_text(one.time.median_ms),
          one.time.samples > 1 ? fmt::format("±{:.2f}", 100 * half / one.time.median_ms) : "",
          fmt::format("{}", one.time.samples),
          metric_cell("effective_gb_per_s", with),
          metric_cell("gflop_per_s", with),
          sectors_cell("load_sectors_per_request", with, access ? access->load : 0),
          sectors_cell("store_sectors_per_request", with, access ? access->store : 0),
          metric_cell("dram_gb_per_s", with),
          metric_cell("dram_percent_of_peak", with),
          metric_cell("achieved_occupancy", with),
          occupied.blocks_per_sm ? number_text(100 * occupied.fraction) : "",
          occupied.blocks_per_sm ? std::string(to_text(occupied.limiter)) : "",
          m.compile_facts ? fmt::format("{}", m.compile_facts->registers_per_thread) : ""};
}

std::map<std::string, std::size_t> by_status(const std::vector<Measurement>& measurements) {
  std::map<std::string, std::size_t> counts;
  for (const Measurement& measurement : measurements)
    ++counts[std::string(to_text(measurement.status))];
  return counts;
}

nlohmann::json ranked_json(const AnswerContext& context, const Ranked& one) {
  nlohmann::json json = one.measurement;
  json["tied"] = one.tied;
  if (context.access_bytes) {
    const AccessBytes access = context.access_bytes(one.measurement.configuration);
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
    if (const auto value = metric.value(facts(context, one)))
      metrics[metric.name] = *value;
  const Occupancy occupied = predicted(context, one.measurement);
  if (occupied.blocks_per_sm)
    json["predicted_occupancy"] = {{"percent", 100 * occupied.fraction},
                                   {"limiter", to_text(occupied.limiter)},
                                   {"blocks_per_sm", occupied.blocks_per_sm}};
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

std::string answer_text(const AnswerContext& context, const std::vector<Ranked>& ranked) {
  if (ranked.empty())
    return "No configuration gave a right result.\n";
  Table table({{"", "", true},
               {"configuration", "", true},
               {"time", "ms"},
               {"interval", "%"},
               {"n", ""},
               {"effective", "GB/s"},
               {"compute", "GFLOP/s"},
               {"ld sect/req", "(ideal)"},
               {"st sect/req", "(ideal)"},
               {"DRAM", "GB/s"},
               {"of peak", "%"},
               {"achieved occ", "%"},
               {"predicted occ", "%"},
               {"limiter", "", true},
               {"regs", ""}});
  for (std::size_t i = 0; i < ranked.size(); ++i)
    table.add(row(context, ranked[i], i));
  std::string text = table.text();

  const Ranked& best = ranked.front();
  text += fmt::format(
      "\nBest on {}: {}\n  {} ms (95 % interval of the median {} to {}, {} samples; {}; {})\n",
      context.device.name, short_text(best.measurement.configuration, context.parameters),
      number_text(best.time.median_ms), number_text(best.time.low_ms),
      number_text(best.time.high_ms), best.time.samples, context.conditions, context.date);
  if (const auto copy = metric_value("percent_of_copy", facts(context, best)))
    text += fmt::format(
        "  effective bandwidth is {:.1f} % of the device-to-device copy measured in the same run "
        "({} GB/s)\n",
        *copy, number_text(context.device.measured_copy_gb_per_s));
  const auto ties =
      std::count_if(ranked.begin(), ranked.end(), [](const Ranked& one) { return one.tied; });
  if (ties > 0)
    text += fmt::format("  {} other{} cannot be told apart from it by time (tied above); it moves "
                        "the fewest bytes, "
                        "then uses the fewest registers\n",
                        ties, ties == 1 ? "" : "s");
  if (best.measurement.counters.empty() && !best.measurement.uncounted_because.empty())
    text += "  not counted: " + best.measurement.uncounted_because + "\n";
  return text;
}

std::string summary_text(const AnswerContext& context, const TuningResult& result) {
  std::string text = fmt::format("{} evaluations in {}", result.measurements.size(),
                                 duration_text(result.seconds));
  for (const auto& [status, count] : by_status(result.measurements))
    text += fmt::format(", {} {}", count, status);
  const auto raced = std::count_if(result.measurements.begin(), result.measurements.end(),
                                   [](const Measurement& one) { return one.raced_out; });
  if (raced > 0)
    text += fmt::format(", {} dropped early", raced);
  if (result.reused > 0)
    text += fmt::format(", {} from the store", result.reused);
  text += '\n';
  if (context.recorded || result.evaluator.start_ms == 0)
    return text;
  const EvaluatorState& state = result.evaluator;
  text += fmt::format(
      "time: start {}, compile {} over all compilers, GPU busy {} ({:.0f} %), verify {}, time {}, "
      "count {}, worker waited {}, search {}\n",
      duration_text(state.start_ms / 1000), duration_text(state.compile_ms / 1000),
      duration_text(state.gpu_busy_ms / 1000),
      result.seconds > 0 ? state.gpu_busy_ms / result.seconds / 10 : 0.0,
      duration_text(state.verify_ms / 1000), duration_text(state.time_ms / 1000),
      duration_text(state.count_ms / 1000), duration_text(state.wait_ms / 1000),
      duration_text(result.search_ms / 1000));
  if (state.worker_restarts + state.compiler_restarts > 0)
    text += fmt::format("replaced: {} workers, {} compilers\n", state.worker_restarts,
                        state.compiler_restarts);
  return text;
}

nlohmann::json answer_json(const AnswerContext& context, const std::vector<Ranked>& ranked,
                           const TuningResult& result) {
  nlohmann::json json = {{"kernel", context.kernel},
                         {"problem", context.problem},
                         {"device", context.device},
                         {"recorded", context.recorded},
                         {"conditions", context.conditions},
                         {"date", context.date},
                         {"evaluations", result.measurements.size()},
                         {"reused", result.reused},
                         {"interrupted", result.interrupted},
                         {"seconds", result.seconds},
                         {"status", by_status(result.measurements)}};
  json["work_model"] = {{"bytes", context.model_bytes}, {"flops", context.model_flops}};
  json["ranking"] = nlohmann::json::array();
  for (const Ranked& one : ranked)
    json["ranking"].push_back(ranked_json(context, one));
  if (!ranked.empty())
    json["best"] = to_text(ranked.front().measurement.configuration);
  const EvaluatorState& state = result.evaluator;
  json["time_spent_ms"] = {{"start", state.start_ms},        {"compile", state.compile_ms},
                           {"gpu_busy", state.gpu_busy_ms},  {"verify", state.verify_ms},
                           {"time", state.time_ms},          {"count", state.count_ms},
                           {"worker_waited", state.wait_ms}, {"search", result.search_ms}};
  return json;
}

} // namespace gridsmith
