// SPDX-License-Identifier: Apache-2.0
// T4 results, schema 1.0.0: what the community's tools exchange, read as its writers spell it and written as
// its readers take it. One result a line; our times are in ms, said in the metadata. A compilation's time stands
// under the schema's name and under the one that Kernel Tuner writes and autotuning_methodology reads; a failure
// has a "time" too, which is Kernel Tuner's word for it.
#include "gridsmith/base/json_fields.hpp"
#include "gridsmith/base/json_text.hpp"
#include "gridsmith/base/safe_text.hpp"
#include "gridsmith/base/version.hpp"
#include "gridsmith/metrics/catalogue/counters.hpp"
#include "gridsmith/results/formats/formats.hpp"
#include "gridsmith/results/formats/parts/foreign_words.hpp"
#include "gridsmith/results/formats/parts/members.hpp"
#include "gridsmith/results/formats/readers.hpp"
#include "gridsmith/results/measurement/objective.hpp"
#include "gridsmith/results/measurement/validity.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

namespace gridsmith {
namespace {

using Ordered = nlohmann::ordered_json;

// Members of the file and of its metadata, of a result, and of each of its measurements.
constexpr const char *metadata_member = "metadata", *unit_of_times = "timeunit",
                     *environment_member = "environment", *facts_at = "/device_query/gridsmith";
constexpr const char *timestamp_member = "timestamp", *configuration_member = "configuration",
                     *times_member = "times", *invalidity_member = "invalidity",
                     *measurements_member = "measurements", *objectives_member = "objectives";
constexpr const char *measured_name = "name", *measured_value = "value", *measured_unit = "unit",
                     *time_name = "time";

/// Texts of the metadata, in their order; as below visit(name, member).
void for_metadata(Like<Recording> auto& of, auto&& visit) {
  visit("kernel", of.kernel);
  visit("problem", of.problem);
  visit("device", of.device.name);
  visit("conditions", of.conditions);
  visit("date", of.date);
  visit("source_hash", of.source_hash);
}

/// Counting is what the framework does outside the benchmark; the search's time is not kept for single
/// configurations.
void for_times(Like<Measurement> auto& row, auto&& visit) {
  static constexpr int not_kept = 0;
  visit("compilation_time", row.spent.compile_ms);
  visit("compilation", row.spent.compile_ms);
  visit("benchmark", row.spent.time_ms);
  visit("framework", std::as_const(row.spent.count_ms));
  visit("search_algorithm", not_kept);
  visit("validation", row.spent.verify_ms);
  visit("runtimes", row.times_ms);
}

/// What the schema allows in addition to its own; written where there is something.
void for_additions(Like<Measurement> auto& row, auto&& visit) {
  visit("reason", row.reason);
  visit("pruned_early", row.pruned_early);
  visit("same_code_as", row.same_code_as);
}

/// Where the metadata have no unit.
constexpr std::string_view unit_remark =
    "the file states no unit of its samples: taken as that of each result's time, else as ms";

/// A measurement that may be what was minimised.
struct Timing {
  std::string name;
  ReportedTime time;
  double unit_ms = 1;
};

/// What one result says before it is settled.
struct T4Result {
  Measurement row;
  std::vector<Timing> timings;
  std::optional<Status> invalidity;
  std::vector<std::string> objectives; ///< none: time
};

class T4Reader {
public:
  T4Reader(JsonReader& json, Recording& recording) : json_(json), recording_(recording) {}

  void read();

private:
  void metadata();
  void result(RowCollector& rows);
  void field(const std::string& key, T4Result& result);
  void one_measurement(T4Result& result);
  void environment();

  double unit_ms(const std::string& unit, std::size_t at);
  ReportedTime reported(T4Result& result);

  JsonReader& json_;
  Recording& recording_;
  std::optional<double>
      unit_ms_;               ///< of all times of the file; none: of each result its objective's
  bool assumed_unit_ = false; ///< of samples
};

void T4Reader::read() {
  const auto other = [this](const std::string& key) {
    const bool is_it = key == metadata_member && json_.peek() == JsonReader::Kind::object;
    if (is_it)
      metadata();
    return is_it;
  };
  read_rows_last(json_, recording_, t4_member, "a T4 file", other,
                 [this](RowCollector& rows) { result(rows); });
  if (assumed_unit_)
    recording_.conditions += (recording_.conditions.empty() ? "" : "; ") + std::string(unit_remark);
}

void T4Reader::metadata() {
  json_.object([&](const std::string& key) {
    const std::size_t at = json_.offset();
    if (key == unit_of_times) {
      if (std::string unit; json_.into(unit) && !unit.empty())
        unit_ms_ = unit_ms(unit, at);
    } else if (key == environment_member)
      environment();
    else if (!json_.listed(key, [&](auto&& visit) { for_metadata(recording_, visit); }))
      json_.skip();
  });
  recording_.date = iso_time(recording_.date);
}

/// The facts of the device where a file of ours has them; other tools query in their own way.
void T4Reader::environment() {
  const std::size_t start = json_.offset();
  const std::string_view text = json_.raw();
  const nlohmann::json::json_pointer at(facts_at);
  if (text.find("gridsmith") == text.npos) // a query of megabytes is passed over
    return;
  try {
    const nlohmann::json held = json_of_text(text);
    if (!held.contains(at))
      return;
    Device device;
    read_fields(held.at(at), device);
    const std::string objection = objection_to(device);
    if (!objection.empty())
      throw InputError(objection);
    recording_.device = std::move(device);
  } catch (const std::exception& error) {
    json_.fail_at(start, std::string("expected the facts of a device: ") + plain_text(error));
  }
}

void T4Reader::result(RowCollector& rows) {
  const std::size_t start = json_.offset();
  T4Result result;
  json_.object([&](const std::string& key) { field(key, result); });
  if (result.row.configuration.empty())
    json_.fail_at(start, "expected \"configuration\" with the values of a result");
  Measurement& row = result.row;
  const ReportedTime time = reported(result);
  const std::string reason = std::exchange(row.reason, "");
  const Status status = result.invalidity.value_or(Status::correct);
  if (status != Status::correct) {
    row.status = status;
    row.reason = !reason.empty()         ? reason
                 : !time.failure.empty() ? time.failure
                                         : std::string(to_text(status));
    row.times_ms.clear();
  }
  if (status != Status::correct || rows.settle(row, time))
    rows.add(std::move(row), json_, start);
}

double T4Reader::unit_ms(const std::string& unit, std::size_t at) {
  if (const auto ms = ms_of_unit(unit))
    return *ms;
  json_.fail_at(at, "unknown unit of time '" + printable(unit) +
                        "' (valid: s, ms, us, ns, and their names)");
}

/// The time that the search minimised; without a unit of the file all times of the result are in its unit.
ReportedTime T4Reader::reported(T4Result& result) {
  const auto minimises = [&](const std::string& name) {
    const auto& names = result.objectives;
    return std::find(names.begin(), names.end(), name) != names.end() ||
           (names.empty() && name == time_name);
  };
  const bool named = std::any_of(result.timings.begin(), result.timings.end(),
                                 [](const Timing& one) { return one.name == time_name; });
  const auto is_objective = [&](const Timing& one) {
    return minimises(one.name) && (!named || one.name == time_name);
  };
  const auto found = std::find_if(result.timings.begin(), result.timings.end(), is_objective);
  const double unit = unit_ms_ ? *unit_ms_ : found != result.timings.end() ? found->unit_ms : 1;
  Measurement& row = result.row;
  assumed_unit_ |= !unit_ms_ && !row.times_ms.empty();
  for (double& time : row.times_ms)
    time *= unit;
  for (double* const spent : {&row.spent.compile_ms, &row.spent.time_ms, &row.spent.verify_ms})
    *spent *= unit;
  return found == result.timings.end() ? ReportedTime() : found->time;
}

void T4Reader::field(const std::string& key, T4Result& result) {
  using Kind = JsonReader::Kind;
  const Kind kind = json_.peek();
  Measurement& row = result.row;
  if (key == configuration_member)
    json_.object(
        [&](const std::string& name) { row.configuration.emplace_back(name, json_.scalar()); });
  else if (key == times_member && kind == Kind::object)
    json_.object([&](const std::string& name) {
      if (!json_.listed(name, [&](auto&& visit) { for_times(row, visit); }))
        json_.skip();
    });
  else if (key == invalidity_member && kind == Kind::string)
    result.invalidity = read_status(json_);
  else if (key == timestamp_member && kind == Kind::string)
    row.when = iso_time(json_.string());
  else if (key == measurements_member && kind == Kind::array)
    json_.array([&] { one_measurement(result); });
  else if (key == objectives_member && kind == Kind::array)
    json_.array([&] { result.objectives.push_back(to_text(json_.scalar())); });
  else if (!json_.listed(key, [&](auto&& visit) { for_additions(row, visit); }))
    json_.skip();
}

void T4Reader::one_measurement(T4Result& result) {
  const std::size_t start = json_.offset();
  std::string name;
  std::string unit;
  ReportedTime value;
  json_.object([&](const std::string& key) {
    if (key == measured_name)
      json_.into(name);
    else if (key == measured_unit)
      json_.into(unit);
    else if (key == measured_value)
      read_reported(json_, value);
    else
      json_.skip();
  });
  const bool timed = name == time_name || (ms_of_unit(unit) && name.find("__") == name.npos);
  if (timed) {
    const double unit_of = unit.empty() ? unit_ms_.value_or(1) : unit_ms(unit, start);
    value.ms *= unit_of;
    result.timings.push_back({name, value, unit_of});
  } else if (value.present && std::isfinite(value.ms) &&
             name.find("__") != name.npos) { // CUPTI's metric names
    result.row.counters[name] = value.ms;
  }
}

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
  const auto add = [&](const std::string& name, const Ordered& value, std::string_view unit) {
    list.push_back({{measured_name, name}, {measured_value, value}, {measured_unit, unit}});
  };
  const auto cost = foreign_ms(row);
  if (cost || !row.correct()) // else it was counted and never timed
    add(time_name, cost ? Ordered(*cost) : Ordered(failure_word(row.status)), "ms");
  for (const auto& [name, value] : row.counters)
    add(name, value, counter_unit(name));
  for (const Objective& one : objectives)
    if (const auto value = one.value(row, workload);
        value && !one.by_time && !row.counters.contains(one.name))
      add(one.name, *value, one.unit);
  return list;
}

Ordered result_of(const Measurement& row, const std::vector<Objective>& objectives,
                  const Workload& workload) {
  Ordered result;
  result[timestamp_member] = row.when;
  result[configuration_member] = object_of(row.configuration);
  Ordered& times = result[times_member];
  for_times(row, [&](const char* name, const auto& member) { times[name] = member; });
  result[invalidity_member] = to_text(row.status);
  result["correctness"] = row.correct() ? 1 : 0;
  result[measurements_member] = measurements_of(row, objectives, workload);
  for (const Objective& one : objectives)
    result[objectives_member].push_back(one.name);
  for_additions(row, [&]<typename T>(const char* name, const T& member) {
    if (member != T())
      result[name] = member;
  });
  return result;
}

/// What the metadata's schema has for it: "device_query" is an object of a tool's own making.
Ordered environment_of(const Recording& recording) {
  Ordered requirements = {fmt::format("gridsmith=={}", version())};
  if (!recording.device.toolkit_version.empty())
    requirements.push_back("cuda-toolkit==" + recording.device.toolkit_version);
  if (!recording.device.driver_version.empty())
    requirements.push_back("nvidia-driver==" + recording.device.driver_version);
  Ordered environment;
  environment[Ordered::json_pointer(facts_at)] = to_fields(recording.device);
  environment["requirements"] = std::move(requirements);
  return environment;
}

Ordered metadata_of(const Recording& recording) {
  Ordered metadata = {{unit_of_times, "milliseconds"}};
  for_metadata(recording, [&](const char* name, const auto& text) { metadata[name] = text; });
  metadata[environment_member] = environment_of(recording);
  return metadata;
}

} // namespace

Recording read_t4(std::string_view text, const std::string& name) {
  Recording recording;
  recording.format = "t4";
  JsonReader json(text, name);
  T4Reader(json, recording).read();
  return recording;
}

std::string t4_text(const Export& exported) {
  const Recording& recording = exported.recording;
  const std::vector<Objective> objectives = objectives_of(exported);
  const Workload workload = exported.answer ? exported.answer->found_by.workload : Workload();
  const auto key = [](const char* name) { return json_text(Ordered(name)) + ": "; };
  std::string text = "{\"schema_version\": \"1.0.0\",\n" + key(metadata_member) +
                     json_text(metadata_of(recording)) + ",\n" + key(t4_member) + "[";
  const char* separator = "\n";
  for (const Measurement& row : recording.measurements) {
    text += separator + json_text(result_of(row, objectives, workload));
    separator = ",\n";
  }
  return text + "\n]}\n";
}

} // namespace gridsmith
