// SPDX-License-Identifier: Apache-2.0
// Kernel Tuner's cache file, which its simulation mode, its dashboard and autotuning_methodology
// open. "time" is the median (a file's own time where it reported one), in ms like all times. A
// failure has Kernel Tuner's word under "time", as caches had it, and under "__error__", as they
// have it now. What it has no word for goes under names of ours, which it passes over.
#include "gridsmith/base/json_fields.hpp"
#include "gridsmith/base/json_text.hpp"
#include "gridsmith/kernels/definition/problem_size.hpp"
#include "gridsmith/results/formats/parts/failure_words.hpp"
#include "gridsmith/results/measurement/objective.hpp"
#include "gridsmith/results/measurement/recording.hpp"

#include <nlohmann/json.hpp>

namespace gridsmith {
namespace {

using Ordered = nlohmann::ordered_json;

Ordered problem_of(const std::string& problem) {
  const std::vector<std::int64_t> extents = extents_of(problem);
  return extents.empty() ? Ordered(problem) : Ordered(extents);
}

/// "16,True,0.5": the values as Python's str() writes them.
std::string key_of(const Configuration& configuration) {
  std::string key;
  for (const auto& [name, value] : configuration)
    key += (key.empty() ? "" : ",") + to_text(value);
  return key;
}

void add_outcome(Ordered& row, const Measurement& measurement) {
  if (!measurement.same_code_as.empty())
    row["gridsmith_same_code_as"] = measurement.same_code_as;
  if (const auto cost = foreign_ms(measurement)) {
    row["time"] = *cost;
    row["times"] = measurement.times_ms;
    if (measurement.pruned_early)
      row["gridsmith_pruned_early"] = true;
    return;
  }
  row["time"] = failure_word(measurement.status);
  row["__error__"] = failure_word(measurement.status);
  row["gridsmith_status"] = to_text(measurement.status);
  row["gridsmith_reason"] = measurement.reason;
}

/// The simulation's clock asks for all of these times of every configuration.
Ordered row_of(const Measurement& measurement) {
  Ordered row = object_of(measurement.configuration);
  add_outcome(row, measurement);
  row["compile_time"] = measurement.spent.compile_ms;
  row["verification_time"] = measurement.spent.verify_ms;
  row["benchmark_time"] = measurement.spent.time_ms;
  row["strategy_time"] = 0;
  row["framework_time"] = measurement.spent.count_ms;
  row["timestamp"] = measurement.when;
  for (const auto& [name, value] : measurement.counters)
    row[name] = value;
  return row;
}

} // namespace

std::string kernel_tuner_text(const Recording& recording) {
  Ordered names = Ordered::array(), parameters = Ordered::object();
  for (const Parameter& parameter : recording.parameters) {
    names.push_back(parameter.name);
    Ordered& values = parameters[parameter.name] = Ordered::array();
    for (const Value& value : parameter.values)
      values.push_back(Ordered(json_of(value)));
  }
  const auto line = [](const char* key, const Ordered& value) {
    return json_text(Ordered(key)) + ": " + json_text(value) + ",\n";
  };
  std::string text =
      "{" + line("device_name", recording.device.name) + line("kernel_name", recording.kernel) +
      line("problem_size", problem_of(recording.problem)) + line("tune_params_keys", names) +
      line("tune_params", parameters) + line("objective", "time") + "\"cache\": {";
  const char* separator = "\n";
  for (const Measurement& row : recording.measurements) {
    if (row.correct() && !cost_ms(row)) // counted and never timed: there is no word for it
      continue;
    text +=
        separator + json_text(Ordered(key_of(row.configuration))) + ": " + json_text(row_of(row));
    separator = ",\n";
  }
  return text + "}\n}"; // Kernel Tuner looks for these three characters at the file's end
}

} // namespace gridsmith
