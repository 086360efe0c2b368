// SPDX-License-Identifier: Apache-2.0
// T4 results, schema 1.0.0, as the community's tools read them. One result a line; times in ms, said
// in the metadata. A compilation's time stands under the schema's name and under the one that Kernel
// Tuner writes and autotuning_methodology reads; a failure has a "time" too, which is Kernel Tuner's
// word for it, and its reason beside it as "reason"; that, "pruned_early" and "same_code_as" the schema allows.
#include "gridsmith/base/json_fields.hpp"
#include "gridsmith/base/json_text.hpp"
#include "gridsmith/base/version.hpp"
#include "gridsmith/metrics/catalogue/counters.hpp"
#include "gridsmith/results/formats/formats.hpp"
#include "gridsmith/results/formats/parts/failure_words.hpp"
#include "gridsmith/results/measurement/objective.hpp"
#include "gridsmith/results/measurement/recording.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace gridsmith {
namespace {

using Ordered = nlohmann::ordered_json;

/// What the search was for: one, or the two of a front.
std::vector<Objective> objectives_of(const Export& exported) {
  const FoundBy found_by = exported.answer ? exported.answer->found_by : FoundBy();
  const Device& device = exported.recording.device;
  std::vector<Objective> all = {objective_of(found_by, device)};
  if (!found_by.against.empty())
    all.push_back(against_of(found_by, device));
  return all;
}

/// The time, counters, and what else the search was for.
Ordered measurements_of(const Measurement& row, const std::vector<Objective>& objectives,
                        const Workload& workload) {
  Ordered list = Ordered::array();
  const auto cost = foreign_ms(row);
  if (cost || !row.correct()) // else it was counted and never timed
    list.push_back({{"name", "time"},
                    {"value", cost ? Ordered(*cost) : Ordered(failure_word(row.status))},
                    {"unit", "ms"}});
  for (const auto& [name, value] : row.counters)
    list.push_back({{"name", name}, {"value", value}, {"unit", counter_unit(name)}});
  for (const Objective& one : objectives)
    if (const auto value = one.value(row, workload);
        value && !one.by_time && !row.counters.contains(one.name))
      list.push_back({{"name", one.name}, {"value", *value}, {"unit", one.unit}});
  return list;
}

/// Counting is what the framework does beside the benchmark; the search's time is not kept for single
/// configurations.
Ordered times_of(const Measurement& row) {
  return {{"compilation_time", row.spent.compile_ms},
          {"compilation", row.spent.compile_ms},
          {"benchmark", row.spent.time_ms},
          {"framework", row.spent.count_ms},
          {"search_algorithm", 0},
          {"validation", row.spent.verify_ms},
          {"runtimes", row.times_ms}};
}

Ordered result_of(const Measurement& row, const std::vector<Objective>& objectives,
                  const Workload& workload) {
  Ordered result;
  result["timestamp"] = row.when;
  result["configuration"] = object_of(row.configuration);
  result["times"] = times_of(row);
  result["invalidity"] = to_text(row.status);
  result["correctness"] = row.correct() ? 1 : 0;
  result["measurements"] = measurements_of(row, objectives, workload);
  for (const Objective& one : objectives)
    result["objectives"].push_back(one.name);
  if (!row.reason.empty())
    result["reason"] = row.reason;
  if (row.pruned_early)
    result["pruned_early"] = true;
  if (!row.same_code_as.empty())
    result["same_code_as"] = row.same_code_as;
  return result;
}

/// What the metadata's schema has for it: "device_query" is an object of a tool's own making.
Ordered environment_of(const Recording& recording) {
  Ordered requirements = {fmt::format("gridsmith=={}", version())};
  if (!recording.device.toolkit_version.empty())
    requirements.push_back("cuda-toolkit==" + recording.device.toolkit_version);
  if (!recording.device.driver_version.empty())
    requirements.push_back("nvidia-driver==" + recording.device.driver_version);
  return {{"device_query", {{"gridsmith", to_fields(recording.device)}}},
          {"requirements", std::move(requirements)}};
}

Ordered metadata_of(const Recording& recording) {
  return {{"timeunit", "milliseconds"},           {"kernel", recording.kernel},
          {"problem", recording.problem},         {"device", recording.device.name},
          {"conditions", recording.conditions},   {"date", recording.date},
          {"source_hash", recording.source_hash}, {"environment", environment_of(recording)}};
}

} // namespace

std::string t4_text(const Export& exported) {
  const Recording& recording = exported.recording;
  const std::vector<Objective> objectives = objectives_of(exported);
  const Workload workload = exported.answer ? exported.answer->found_by.workload : Workload();
  std::string text =
      "{\"schema_version\": \"1.0.0\",\n\"metadata\": " + json_text(metadata_of(recording)) +
      ",\n\"results\": [";
  const char* separator = "\n";
  for (const Measurement& row : recording.measurements) {
    text += separator + json_text(result_of(row, objectives, workload));
    separator = ",\n";
  }
  return text + "\n]}\n";
}

} // namespace gridsmith
