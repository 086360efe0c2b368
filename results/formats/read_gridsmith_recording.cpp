// SPDX-License-Identifier: Apache-2.0
// Our own recordings, as results/formats/gridsmith_recording.cpp writes them.
#include "gridsmith/base/json_fields.hpp"
#include "gridsmith/base/json_text.hpp"
#include "gridsmith/results/formats/parts/json_reader.hpp"
#include "gridsmith/results/formats/parts/row_collector.hpp"
#include "gridsmith/results/formats/readers.hpp"
#include "gridsmith/results/measurement/measurement_json.hpp"
#include "gridsmith/results/measurement/recording.hpp"
#include "gridsmith/results/measurement/validity.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <set>

namespace gridsmith {
namespace {

using nlohmann::json;

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
  std::set<std::string> members_;
};

void Reader::read() {
  json_.object([this](const std::string& key) { member(key); });
  json_.end();
  if (!has_rows_)
    json_.fail_at(0, "expected \"rows\", the measurements of a recording");
}

void Reader::member(const std::string& key) {
  if (!members_.insert(key).second) // rows were read by the parameters that came first
    json_.fail_at(json_.offset(), "\"" + key + "\" appears twice");
  if (key == "gridsmith recording")
    version();
  else if (key == "kernel")
    recording_.kernel = json_.string();
  else if (key == "problem")
    recording_.problem = json_.string();
  else if (key == "date")
    recording_.date = iso_time(json_.string());
  else if (key == "conditions")
    recording_.conditions = json_.string();
  else if (key == "source_hash")
    recording_.source_hash = json_.string();
  else if (key == "work_model")
    facts("the bytes and FLOPs of a work model", recording_.workload);
  else if (key == "own_metrics")
    facts("the counters and metrics of a definition", recording_.own_metrics);
  else if (key == "drawn")
    recording_.drawn = json_.scalar() == Value(true);
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
    objection = plain_text(error);
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
    json_.fail_at(start, std::string("expected a measurement: ") + plain_text(error));
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

} // namespace gridsmith
