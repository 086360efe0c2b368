// SPDX-License-Identifier: Apache-2.0
// Our own recordings: everything a measurement holds, under one header with device, conditions and
// parameters. JSON with one row a line, so that a diff shows which configurations changed.
#include "gridsmith/base/json_fields.hpp"
#include "gridsmith/base/json_text.hpp"
#include "gridsmith/results/formats/parts/foreign_words.hpp"
#include "gridsmith/results/formats/parts/members.hpp"
#include "gridsmith/results/formats/readers.hpp"
#include "gridsmith/results/measurement/measurement_json.hpp"
#include "gridsmith/results/measurement/validity.hpp"

#include <algorithm>
#include <set>

namespace gridsmith {
namespace {

using Json = nlohmann::json;
using Ordered = nlohmann::ordered_json;

/// Beside those of for_members(); counters are the names of all, so that rows hold values only.
constexpr const char *counters_member = "counters", *rows_member = "rows", *row_values = "values";

/// Members before the rows, in their order: visit(name, member, whether it is always written).
void for_members(Like<Recording> auto& of, auto&& visit) {
  visit("kernel", of.kernel, true);
  visit("problem", of.problem, true);
  visit("date", of.date, true);
  visit("conditions", of.conditions, true);
  visit("source_hash", of.source_hash, false);
  visit("work_model", of.workload, false);
  visit("own_metrics", of.own_metrics, false);
  visit("drawn", of.drawn, false);
  visit("device", of.device, true);
  visit("peaks", of.peaks, false);
  visit("parameters", of.parameters, true);
}

class RecordingReader {
public:
  RecordingReader(JsonReader& reader, Recording& recording)
      : json_(reader), recording_(recording) {}

  void read();

private:
  void member(const std::string& key);
  void version();
  template <typename T>
  void facts(const char* what, T& value);
  void rows();
  Measurement row();
  Measurement measurement(Json held) const;
  Configuration configuration(const Json& values) const;

  void take(std::string& text) { text = json_.string(); }

  void take(bool& value) { value = json_.scalar() == Value(true); }

  void take(Workload& model) { facts("the bytes and FLOPs of a work model", model); }

  void take(OwnMetrics& own) { facts("the counters and metrics of a definition", own); }

  void take(Device& device) { facts("the facts of a device", device); }

  void take(Peaks& peaks) {
    json_.array([&] { facts("a peak of the device", peaks.emplace_back()); });
  }

  void take(std::vector<Parameter>& parameters) { parameters = read_parameters(json_); }

  JsonReader& json_;
  Recording& recording_;
  std::vector<std::string> counters_;
  bool has_rows_ = false;
  std::set<std::string> members_;
};

void RecordingReader::read() {
  json_.object([this](const std::string& key) { member(key); });
  json_.end();
  if (!has_rows_)
    json_.fail_at(0, "expected \"rows\", the measurements of a recording");
  recording_.date = iso_time(recording_.date);
}

void RecordingReader::member(const std::string& key) {
  if (!members_.insert(key).second) // rows were read by the parameters that came first
    json_.fail_at(json_.offset(), "\"" + key + "\" appears twice");
  if (key == recording_member)
    return version();
  if (key == counters_member)
    return json_.array([this] { counters_.push_back(json_.string()); });
  if (key == rows_member)
    return rows();
  bool known = false;
  for_members(recording_, [&](const char* name, auto& member, bool) {
    if (key == name) {
      take(member);
      known = true;
    }
  });
  if (!known)
    json_.skip();
}

void RecordingReader::version() {
  const std::size_t start = json_.offset();
  const int found = json_.whole(0);
  if (found > recording_version)
    json_.fail_at(start, "recording version " + std::to_string(found) +
                             " is newer than this program reads (up to " +
                             std::to_string(recording_version) + ")");
}

template <typename T>
void RecordingReader::facts(const char* what, T& value) {
  const std::size_t start = json_.offset();
  const std::string_view text = json_.raw();
  std::string objection;
  try {
    read_fields(json_of_text(text), value);
    objection = objection_to(value);
  } catch (const std::exception& error) {
    objection = plain_text(error);
  }
  if (!objection.empty())
    json_.fail_at(start, std::string("expected ") + what + ": " + objection);
}

void RecordingReader::rows() {
  if (recording_.parameters.empty())
    json_.expected("\"parameters\" before \"rows\"");
  has_rows_ = true;
  RowCollector collector(recording_);
  json_.array([&] {
    const std::size_t start = json_.offset();
    collector.add(row(), json_, start);
  });
  collector.finish();
}

Measurement RecordingReader::row() {
  const std::size_t start = json_.offset();
  const std::string_view text = json_.raw();
  try {
    return measurement(json_of_text(text));
  } catch (const Json::exception& error) {
    json_.fail_at(start, std::string("expected a measurement: ") + plain_text(error));
  } catch (const InputError& error) {
    json_.fail_at(start, error.what());
  }
}

Measurement RecordingReader::measurement(Json held) const {
  Configuration values = configuration(held.at(row_values));
  Json counters = Json::object();
  if (const auto found = held.find(counters_member); found != held.end())
    for (std::size_t i = 0; i < std::min(counters_.size(), found->size()); ++i)
      if (!found->at(i).is_null())
        counters[counters_[i]] = found->at(i);
  held["counters"] = std::move(counters);
  held["configuration"] = Json::array();
  Measurement row = measurement_of(held);
  row.configuration = std::move(values);
  return row;
}

Configuration RecordingReader::configuration(const Json& values) const {
  if (values.size() != recording_.parameters.size())
    throw InputError("expected " + std::to_string(recording_.parameters.size()) +
                     " values, one per parameter, found " + std::to_string(values.size()));
  Configuration configuration;
  for (std::size_t p = 0; p < values.size(); ++p)
    configuration.emplace_back(recording_.parameters[p].name, value_of(values.at(p)));
  return configuration;
}

std::vector<std::string> counter_names(const Recording& recording) {
  std::set<std::string> names;
  for (const Measurement& row : recording.measurements)
    for (const auto& [name, value] : row.counters)
      names.insert(name);
  return {names.begin(), names.end()};
}

std::string row_text(const Measurement& row, const std::vector<std::string>& counters) {
  Json held = json_of(row);
  held.erase("configuration");
  held.erase("counters");
  Ordered out;
  Ordered& values = out[row_values] = Ordered::array();
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
    Ordered& list = out[counters_member] = Ordered::array();
    for (const std::string& name : counters) {
      const auto found = row.counters.find(name);
      list.push_back(found == row.counters.end() ? Ordered(nullptr) : Ordered(found->second));
    }
  }
  return json_text(out);
}

Json member_json(const std::vector<Parameter>& parameters) {
  return parameters_json(parameters);
}

Json member_json(const auto& member) {
  return fields::written(member, Fields::changed);
}

} // namespace

Recording read_gridsmith_recording(std::string_view text, const std::string& name) {
  Recording recording;
  recording.format = "gridsmith";
  JsonReader reader(text, name);
  RecordingReader(reader, recording).read();
  return recording;
}

std::string recording_text(const Recording& recording) {
  std::string text;
  const auto add = [&](const char* name, const Json& value) {
    text += (text.empty() ? "{" : ",\n") + json_text(Json(name)) + ": " + json_text(value);
  };
  add(recording_member, recording_version);
  for_members(recording, [&](const char* name, const auto& member, bool always) {
    const Json value = member_json(member);
    if (always || value != member_json(std::decay_t<decltype(member)>()))
      add(name, value);
  });
  const std::vector<std::string> counters = counter_names(recording);
  add(counters_member, counters);
  text += ",\n" + json_text(Json(rows_member)) + ": [";
  const char* separator = "\n";
  for (const Measurement& row : recording.measurements) {
    text += separator + row_text(row, counters);
    separator = ",\n";
  }
  return text + "\n]}\n";
}

} // namespace gridsmith
