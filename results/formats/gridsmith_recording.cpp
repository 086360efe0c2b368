// SPDX-License-Identifier: Apache-2.0
// Our own recordings: everything a measurement holds, under one header with device, conditions and
// parameters. JSON with one row a line, so that a diff shows which configurations changed.
#include "gridsmith/base/json_fields.hpp"
#include "gridsmith/base/json_text.hpp"
#include "gridsmith/results/measurement/measurement_json.hpp"
#include "gridsmith/results/measurement/recording.hpp"

#include <nlohmann/json.hpp>

#include <set>

namespace gridsmith {
namespace {

using nlohmann::json;
using Ordered = nlohmann::ordered_json;

/// Names of all counters of all rows: in the header once, so that rows hold values only.
std::vector<std::string> counter_names(const Recording& recording) {
  std::set<std::string> names;
  for (const Measurement& row : recording.measurements)
    for (const auto& [name, value] : row.counters)
      names.insert(name);
  return {names.begin(), names.end()};
}

Ordered parameters_json(const Recording& recording) {
  Ordered list = Ordered::array();
  for (const Parameter& parameter : recording.parameters) {
    Ordered values = Ordered::array();
    for (const Value& value : parameter.values)
      values.push_back(Ordered(json_of(value)));
    list.push_back({{"name", parameter.name}, {"values", std::move(values)}});
  }
  return list;
}

json peaks_json(const Peaks& peaks) {
  json list = json::array();
  for (const Peak& peak : peaks)
    list.push_back(to_fields(peak));
  return list;
}

std::string row_text(const Measurement& row, const std::vector<std::string>& counters) {
  json held = json_of(row);
  held.erase("configuration");
  held.erase("counters");
  Ordered out;
  Ordered& values = out["values"] = Ordered::array();
  for (const auto& [name, value] : row.configuration)
    values.push_back(Ordered(json_of(value)));
  for (const char* first : {"status", "times_ms", "reason"})
    if (held.contains(first)) {
      out[first] = held[first];
      held.erase(first);
    }
  for (const auto& [key, value] : held.items())
    out[key] = value;
  if (!row.counters.empty()) {
    Ordered& list = out["counters"] = Ordered::array();
    for (const std::string& name : counters) {
      const auto found = row.counters.find(name);
      list.push_back(found == row.counters.end() ? Ordered(nullptr) : Ordered(found->second));
    }
  }
  return json_text(out);
}

} // namespace

std::string recording_text(const Recording& recording) {
  const std::vector<std::string> counters = counter_names(recording);
  const auto line = [](const char* key, const auto& value) {
    return ",\n" + json_text(Ordered(key)) + ": " + json_text(value);
  };
  std::string text = "{\"gridsmith recording\": " + std::to_string(recording_version);
  text += line("kernel", Ordered(recording.kernel));
  text += line("problem", Ordered(recording.problem));
  text += line("date", Ordered(recording.date));
  text += line("conditions", Ordered(recording.conditions));
  if (!recording.source_hash.empty())
    text += line("source_hash", Ordered(recording.source_hash));
  if (const json model = to_fields(recording.workload); !model.empty())
    text += line("work_model", model);
  if (const json own = to_fields(recording.own_metrics); !own.empty())
    text += line("own_metrics", own);
  if (recording.drawn)
    text += line("drawn", Ordered(true));
  text += line("device", to_fields(recording.device));
  if (!recording.peaks.empty())
    text += line("peaks", peaks_json(recording.peaks));
  text += line("parameters", parameters_json(recording));
  text += line("counters", Ordered(counters)) + ",\n\"rows\": [";
  const char* separator = "\n";
  for (const Measurement& row : recording.measurements) {
    text += separator + row_text(row, counters);
    separator = ",\n";
  }
  return text + "\n]}\n";
}

} // namespace gridsmith
