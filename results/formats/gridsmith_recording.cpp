// Our own recordings: everything a measurement holds, under one header with device, conditions and
// parameters. JSON with one row a line, so that a diff shows which configurations changed.
#include "gridsmith/base/json_fields.hpp"
#include "gridsmith/base/json_text.hpp"
#include "gridsmith/results/formats/json_reader.hpp"
#include "gridsmith/results/formats/readers.hpp"
#include "gridsmith/results/formats/row_collector.hpp"
#include "gridsmith/results/measurement/measurement_json.hpp"
#include "gridsmith/results/measurement/recording.hpp"
#include "gridsmith/results/measurement/validity.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <set>

namespace gridsmith {
namespace {

/// Version written; older ones are read, newer ones refused.
constexpr int recording_version = 1;

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

class Reader {
public:
  Reader(JsonReader& reader, Recording& recording) : json_(reader), recording_(recording) {}

  void read();

private:
  void member(const std::string& key);
  void version();
  template <typename T>
  void facts(const char* what, T& value);
  void parameter();
  void rows();
  Measurement row();
  Measurement measurement(json held) const;
  Configuration configuration(const json& values) const;

  JsonReader& json_;
  Recording& recording_;
  std::vector<std::string> counters_;
  bool has_rows_ = false;
};

void Reader::read() {
  json_.object([this](const std::string& key) { member(key); });
  json_.end();
  if (!has_rows_)
    json_.fail_at(0, "expected \"rows\", the measurements of a recording");
}

void Reader::member(const std::string& key) {
  if (key == "gridsmith recording")
    version();
  else if (key == "kernel")
    recording_.kernel = json_.string();
  else if (key == "problem")
    recording_.problem = json_.string();
  else if (key == "date")
    recording_.date = json_.string();
  else if (key == "conditions")
    recording_.conditions = json_.string();
  else if (key == "source_hash")
    recording_.source_hash = json_.string();
  else if (key == "work_model")
    facts("the bytes and FLOPs of a work model", recording_.workload);
  else if (key == "device")
    facts("the facts of a device", recording_.device);
  else if (key == "peaks")
    json_.array([this] { facts("a peak of the device", recording_.peaks.emplace_back()); });
  else if (key == "parameters")
    json_.array([this] { parameter(); });
  else if (key == "counters")
    json_.array([this] { counters_.push_back(json_.string()); });
  else if (key == "rows")
    rows();
  else
    json_.skip();
}

void Reader::version() {
  const std::size_t start = json_.offset();
  const int found = json_.whole(0);
  if (found > recording_version)
    json_.fail_at(start, "recording version " + std::to_string(found) +
                             " is newer than this program reads (up to " +
                             std::to_string(recording_version) + ")");
}

template <typename T>
void Reader::facts(const char* what, T& value) {
  const std::size_t start = json_.offset();
  const std::string_view text = json_.raw();
  std::string objection;
  try {
    read_fields(json_of_text(text), value);
    objection = objection_to(value);
  } catch (const std::exception& error) {
    objection = error.what();
  }
  if (!objection.empty())
    json_.fail_at(start, std::string("expected ") + what + ": " + objection);
}

void Reader::parameter() {
  Parameter parameter;
  json_.object([&](const std::string& key) {
    if (key == "name")
      parameter.name = json_.string();
    else if (key == "values")
      json_.array([&] { parameter.values.push_back(json_.scalar()); });
    else
      json_.skip();
  });
  recording_.parameters.push_back(std::move(parameter));
}

void Reader::rows() {
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

Measurement Reader::row() {
  const std::size_t start = json_.offset();
  const std::string_view text = json_.raw();
  try {
    return measurement(json_of_text(text));
  } catch (const json::exception& error) {
    json_.fail_at(start, std::string("expected a measurement: ") + error.what());
  } catch (const InputError& error) {
    json_.fail_at(start, error.what());
  }
}

Measurement Reader::measurement(json held) const {
  Configuration values = configuration(held.at("values"));
  json counters = json::object();
  if (const auto found = held.find("counters"); found != held.end())
    for (std::size_t i = 0; i < std::min(counters_.size(), found->size()); ++i)
      if (!found->at(i).is_null())
        counters[counters_[i]] = found->at(i);
  held["counters"] = std::move(counters);
  held["configuration"] = json::array();
  Measurement row = measurement_of(held);
  row.configuration = std::move(values);
  return row;
}

Configuration Reader::configuration(const json& values) const {
  if (values.size() != recording_.parameters.size())
    throw InputError("expected " + std::to_string(recording_.parameters.size()) +
                     " values, one per parameter, found " + std::to_string(values.size()));
  Configuration configuration;
  for (std::size_t p = 0; p < values.size(); ++p)
    configuration.emplace_back(recording_.parameters[p].name, value_of(values.at(p)));
  return configuration;
}

} // namespace

Recording read_gridsmith_recording(std::string_view text, const std::string& name) {
  Recording recording;
  recording.format = "gridsmith";
  JsonReader reader(text, name);
  Reader(reader, recording).read();
  return recording;
}

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
