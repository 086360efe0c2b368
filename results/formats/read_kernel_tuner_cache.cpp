// SPDX-License-Identifier: Apache-2.0
// Kernel Tuner cache files: "cache": {"v1,v2,…": record}. Times in ms. What only our own writer puts
// into one (results/formats/kernel_tuner_cache.cpp) is read too.
#include "gridsmith/results/formats/parts/json_reader.hpp"
#include "gridsmith/results/formats/parts/row_collector.hpp"
#include "gridsmith/results/formats/readers.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

namespace gridsmith {
namespace {

struct Header {
  std::vector<std::string> keys; ///< tune_params_keys: the order inside a row's key
  std::vector<Parameter> values; ///< tune_params
  std::optional<std::size_t> cache_at;
};

/// 4096, "4096", [4096, 4096] -> "4096x4096".
std::string problem_text(JsonReader& json) {
  std::string text;
  if (json.peek() == JsonReader::Kind::array)
    json.array([&] {
      if (!text.empty())
        text += 'x';
      text += to_text(json.scalar());
    });
  else if (json.peek() == JsonReader::Kind::null)
    json.null();
  else
    text = to_text(json.scalar());
  return text;
}

void read_tune_params(JsonReader& json, std::vector<Parameter>& parameters) {
  json.object([&](const std::string& name) {
    Parameter parameter{name, {}};
    json.array([&] { parameter.values.push_back(json.scalar()); });
    parameters.push_back(std::move(parameter));
  });
}

/// Everything but the rows, whose place is remembered: files may have them first.
void read_header(JsonReader& json, Recording& recording, Header& header) {
  json.object([&](const std::string& key) {
    if (key == "device_name")
      recording.device.name = to_text(json.scalar());
    else if (key == "kernel_name")
      recording.kernel = to_text(json.scalar());
    else if (key == "problem_size")
      recording.problem = problem_text(json);
    else if (key == "tune_params_keys")
      json.array([&] { header.keys.push_back(json.string()); });
    else if (key == "tune_params")
      read_tune_params(json, header.values);
    else {
      if (key == "cache")
        header.cache_at = json.offset();
      json.skip();
    }
  });
}

void name_keys(Header& header) {
  if (header.keys.empty())
    for (const Parameter& parameter : header.values)
      header.keys.push_back(parameter.name);
}

/// The listed values in the order of the keys; nothing when the file does not list them all.
std::vector<Parameter> listed_parameters(const Header& header) {
  std::vector<Parameter> parameters;
  for (const std::string& key : header.keys)
    for (const Parameter& parameter : header.values)
      if (parameter.name == key && !parameter.values.empty())
        parameters.push_back(parameter);
  if (parameters.size() != header.keys.size())
    parameters.clear();
  return parameters;
}

/// What our own writer says of a failure.
struct Failure {
  std::optional<Status> status;
  std::string reason;
};

class Rows {
public:
  Rows(JsonReader& json, const Recording& recording, Header header, RowCollector& rows)
      : json_(json), parameters_(recording.parameters), header_(std::move(header)), rows_(rows) {}

  void read() {
    json_.object([this](const std::string& key) { row(key); });
  }

private:
  void row(const std::string& key);
  bool own_field(const std::string& name, Measurement& row, Failure& failure);
  void field(const std::string& name, Measurement& row, ReportedTime& reported);
  void counter(const std::string& name, Measurement& row);
  void result(ReportedTime& reported);
  void samples(Measurement& row);
  void complete_from_key(const std::string& key, Measurement& row) const;

  bool is_parameter(const std::string& name) const {
    return std::find(header_.keys.begin(), header_.keys.end(), name) != header_.keys.end();
  }

  JsonReader& json_;
  const std::vector<Parameter>& parameters_;
  Header header_;
  RowCollector& rows_;
};

void Rows::row(const std::string& key) {
  const std::size_t start = json_.offset();
  Measurement row;
  ReportedTime reported;
  Failure ours;
  json_.object([&](const std::string& name) {
    if (!own_field(name, row, ours))
      field(name, row, reported);
  });
  complete_from_key(key, row);
  if (!rows_.settle(row, reported))
    return;
  if (!row.correct() && ours.status && *ours.status != Status::correct) {
    row.status = *ours.status;
    row.reason = ours.reason;
  }
  rows_.add(std::move(row), json_, start);
}

/// True for what only our own writer writes; then it is consumed.
bool Rows::own_field(const std::string& name, Measurement& row, Failure& failure) {
  using Kind = JsonReader::Kind;
  const Kind kind = json_.peek();
  const std::size_t start = json_.offset();
  if (name == "gridsmith_pruned_early" && kind == Kind::boolean)
    row.pruned_early = std::get<bool>(json_.scalar());
  else if (name == "gridsmith_same_code_as" && kind == Kind::string)
    row.same_code_as = json_.string();
  else if (name == "gridsmith_reason" && kind == Kind::string)
    failure.reason = json_.string();
  else if (name == "gridsmith_status" && kind == Kind::string)
    try {
      failure.status = from_text<Status>(json_.string());
    } catch (const InputError& error) {
      json_.fail_at(start, error.what());
    }
  else
    return false;
  return true;
}

void Rows::field(const std::string& name, Measurement& row, ReportedTime& reported) {
  using Kind = JsonReader::Kind;
  const Kind kind = json_.peek();
  if (is_parameter(name) && kind != Kind::null && kind != Kind::array && kind != Kind::object)
    row.configuration.emplace_back(name, json_.scalar());
  else if (name == "time")
    result(reported);
  else if (name == "__error__" && kind == Kind::string)
    reported.failure = json_.string();
  else if (name == "times" && kind == Kind::array)
    samples(row);
  else if (name == "compile_time" && kind == Kind::number)
    row.spent.compile_ms = json_.number();
  else if (name == "verification_time" && kind == Kind::number)
    row.spent.verify_ms = json_.number();
  else if (name == "benchmark_time" && kind == Kind::number)
    row.spent.time_ms = json_.number();
  else if (name == "timestamp" && kind == Kind::string)
    row.when = iso_time(json_.string());
  else if (kind == Kind::number && name.find("__") != name.npos) // CUPTI's metric names
    counter(name, row);
  else
    json_.skip();
}

void Rows::counter(const std::string& name, Measurement& row) {
  if (const double value = json_.number(); std::isfinite(value))
    row.counters[name] = value;
}

void Rows::result(ReportedTime& reported) {
  if (json_.peek() == JsonReader::Kind::string) {
    reported.failure = json_.string();
  } else if (json_.peek() == JsonReader::Kind::number) {
    reported.ms = json_.number();
    reported.present = true;
  } else {
    json_.skip();
  }
}

void Rows::samples(Measurement& row) {
  json_.array([&] {
    if (json_.peek() == JsonReader::Kind::number)
      row.times_ms.push_back(json_.number());
    else
      json_.skip();
  });
}

/// A row that does not repeat its parameters has them in its key, as Python's str() writes them.
void Rows::complete_from_key(const std::string& key, Measurement& row) const {
  if (!row.configuration.empty() || parameters_.empty())
    return;
  std::size_t start = 0;
  for (const Parameter& parameter : parameters_) {
    const std::size_t comma = std::min(key.find(',', start), key.size());
    const std::string text = key.substr(start, comma - start);
    for (const Value& value : parameter.values)
      if (to_text(value) == text)
        row.configuration.emplace_back(parameter.name, value);
    start = std::min(comma + 1, key.size());
  }
}

} // namespace

Recording read_kernel_tuner_cache(std::string_view text, const std::string& name) {
  Recording recording;
  recording.format = "kernel_tuner";
  JsonReader json(text, name);
  Header header;
  bool cut_off = false;
  // A tuning that was interrupted leaves a file without its end; what is whole counts.
  const auto tolerate = [&](const auto& read) {
    try {
      read();
    } catch (const TruncatedJson&) {
      cut_off = true;
    }
  };
  tolerate([&] { read_header(json, recording, header); });
  name_keys(header);
  if (!cut_off)
    json.end();
  if (!header.cache_at)
    json.fail_at(0, "expected \"cache\", the rows of a Kernel Tuner cache file");
  recording.parameters = listed_parameters(header);
  RowCollector rows(recording);
  json.seek(*header.cache_at);
  tolerate([&] { Rows(json, recording, std::move(header), rows).read(); });
  if (cut_off)
    ++recording.set_aside["the file is cut off"];
  rows.finish();
  return recording;
}

} // namespace gridsmith
