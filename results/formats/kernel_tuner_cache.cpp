// SPDX-License-Identifier: Apache-2.0
// Kernel Tuner's cache file, "cache": {"v1,v2,…": row}, which its simulation mode, its dashboard and
// autotuning_methodology open. Times in ms. "time" is the median (a file's own time where it reported one).
// A failure has Kernel Tuner's word under "time", as caches had it, and under "__error__", as they
// have it now. What it has no word for goes under names of ours, which it passes over.
#include "gridsmith/base/json_fields.hpp"
#include "gridsmith/base/json_text.hpp"
#include "gridsmith/kernels/definition/problem_size.hpp"
#include "gridsmith/results/formats/parts/foreign_words.hpp"
#include "gridsmith/results/formats/parts/members.hpp"
#include "gridsmith/results/formats/readers.hpp"
#include "gridsmith/results/measurement/objective.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

namespace gridsmith {
namespace {

using Ordered = nlohmann::ordered_json;

// Members of the file, and of a row.
constexpr const char *device_member = "device_name", *kernel_member = "kernel_name",
                     *problem_member = "problem_size";
constexpr const char *time_member = "time", *samples_member = "times", *error_member = "__error__",
                     *when_member = "timestamp";
// Ours.
constexpr const char *pruned_member = "gridsmith_pruned_early",
                     *same_code_member = "gridsmith_same_code_as",
                     *status_member = "gridsmith_status", *reason_member = "gridsmith_reason";

/// The simulation's clock asks for all of these times of every configuration.
void for_stages(Like<TimeSpent> auto& spent, auto&& visit) {
  static constexpr int unknown = 0;
  visit("compile_time", spent.compile_ms);
  visit("verification_time", spent.verify_ms);
  visit("benchmark_time", spent.time_ms);
  visit("strategy_time", unknown);
  visit("framework_time", std::as_const(spent.count_ms));
}

struct CacheHeader {
  std::vector<std::string> keys; ///< the order inside a row's key
  std::vector<Parameter> values;
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
void read_header(JsonReader& json, Recording& recording, CacheHeader& header) {
  json.object([&](const std::string& key) {
    if (key == device_member)
      recording.device.name = to_text(json.scalar());
    else if (key == kernel_member)
      recording.kernel = to_text(json.scalar());
    else if (key == problem_member)
      recording.problem = problem_text(json);
    else if (key == cache_keys_member)
      json.array([&] { header.keys.push_back(json.string()); });
    else if (key == cache_values_member)
      read_tune_params(json, header.values);
    else {
      if (key == cache_member)
        header.cache_at = json.offset();
      json.skip();
    }
  });
}

void name_keys(CacheHeader& header) {
  if (header.keys.empty())
    for (const Parameter& parameter : header.values)
      header.keys.push_back(parameter.name);
}

/// The listed values in the order of the keys; nothing when the file does not list them all.
std::vector<Parameter> listed_parameters(const CacheHeader& header) {
  std::vector<Parameter> parameters;
  for (const std::string& key : header.keys)
    for (const Parameter& parameter : header.values)
      if (parameter.name == key && !parameter.values.empty())
        parameters.push_back(parameter);
  if (parameters.size() != header.keys.size())
    parameters.clear();
  return parameters;
}

/// What our own files say of a failure.
struct Failure {
  std::optional<Status> status;
  std::string reason;
};

class CacheRows {
public:
  CacheRows(JsonReader& json, const Recording& recording, CacheHeader header, RowCollector& rows)
      : json_(json), parameters_(recording.parameters), header_(std::move(header)), rows_(rows) {}

  void read() {
    json_.object([this](const std::string& key) { row(key); });
  }

private:
  void row(const std::string& key);
  bool own_field(const std::string& name, Measurement& row, Failure& failure);
  void field(const std::string& name, Measurement& row, ReportedTime& reported);
  void counter(const std::string& name, Measurement& row);
  void complete_from_key(const std::string& key, Measurement& row) const;

  bool is_parameter(const std::string& name) const {
    return std::find(header_.keys.begin(), header_.keys.end(), name) != header_.keys.end();
  }

  JsonReader& json_;
  const std::vector<Parameter>& parameters_;
  CacheHeader header_;
  RowCollector& rows_;
};

void CacheRows::row(const std::string& key) {
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

/// True for what only our own files have; then it is consumed.
bool CacheRows::own_field(const std::string& name, Measurement& row, Failure& failure) {
  if (name == pruned_member)
    json_.into(row.pruned_early);
  else if (name == same_code_member)
    json_.into(row.same_code_as);
  else if (name == reason_member)
    json_.into(failure.reason);
  else if (name == status_member)
    failure.status = read_status(json_);
  else
    return false;
  return true;
}

void CacheRows::field(const std::string& name, Measurement& row, ReportedTime& reported) {
  using Kind = JsonReader::Kind;
  const Kind kind = json_.peek();
  if (is_parameter(name) && kind != Kind::null && kind != Kind::array && kind != Kind::object)
    row.configuration.emplace_back(name, json_.scalar());
  else if (name == time_member)
    read_reported(json_, reported);
  else if (name == error_member && kind == Kind::string)
    reported.failure = json_.string();
  else if (name == samples_member)
    json_.into(row.times_ms);
  else if (name == when_member) {
    json_.into(row.when);
    row.when = iso_time(row.when);
  } else if (json_.listed(name, [&](auto&& visit) { for_stages(row.spent, visit); }))
    return;
  else if (kind == Kind::number && name.find("__") != name.npos) // CUPTI's metric names
    counter(name, row);
  else
    json_.skip();
}

void CacheRows::counter(const std::string& name, Measurement& row) {
  if (const double value = json_.number(); std::isfinite(value))
    row.counters[name] = value;
}

/// A row that does not repeat its parameters has them in its key, as Python's str() writes them.
void CacheRows::complete_from_key(const std::string& key, Measurement& row) const {
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
    row[same_code_member] = measurement.same_code_as;
  if (const auto cost = foreign_ms(measurement)) {
    row[time_member] = *cost;
    row[samples_member] = measurement.times_ms;
    if (measurement.pruned_early)
      row[pruned_member] = true;
    return;
  }
  row[time_member] = failure_word(measurement.status);
  row[error_member] = failure_word(measurement.status);
  row[status_member] = to_text(measurement.status);
  row[reason_member] = measurement.reason;
}

Ordered row_of(const Measurement& measurement) {
  Ordered row = object_of(measurement.configuration);
  add_outcome(row, measurement);
  for_stages(measurement.spent, [&](const char* name, auto& ms) { row[name] = ms; });
  row[when_member] = measurement.when;
  for (const auto& [name, value] : measurement.counters)
    row[name] = value;
  return row;
}

} // namespace

Recording read_kernel_tuner_cache(std::string_view text, const std::string& name) {
  Recording recording;
  recording.format = "kernel_tuner";
  JsonReader json(text, name);
  CacheHeader header;
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
  tolerate([&] { CacheRows(json, recording, std::move(header), rows).read(); });
  if (cut_off)
    ++recording.set_aside["the file is cut off"];
  rows.finish();
  return recording;
}

std::string kernel_tuner_text(const Recording& recording) {
  Ordered names = Ordered::array(), parameters = Ordered::object();
  for (const Parameter& parameter : recording.parameters) {
    names.push_back(parameter.name);
    parameters[parameter.name] = fields::written(parameter.values, Fields::all);
  }
  const auto line = [](const char* key, const Ordered& value) {
    return json_text(Ordered(key)) + ": " + json_text(value) + ",\n";
  };
  std::string text = "{" + line(device_member, recording.device.name) +
                     line(kernel_member, recording.kernel) +
                     line(problem_member, problem_of(recording.problem)) +
                     line(cache_keys_member, names) + line(cache_values_member, parameters) +
                     line("objective", "time") + json_text(Ordered(cache_member)) + ": {";
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
