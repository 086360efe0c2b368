// SPDX-License-Identifier: Apache-2.0
// T4 results, schema 1.0.0: what the community's tools exchange, as its writers spell it. Ours is
// results/formats/t4.cpp.
#include "gridsmith/base/json_fields.hpp"
#include "gridsmith/base/json_text.hpp"
#include "gridsmith/base/safe_text.hpp"
#include "gridsmith/results/formats/parts/json_reader.hpp"
#include "gridsmith/results/formats/parts/row_collector.hpp"
#include "gridsmith/results/formats/readers.hpp"
#include "gridsmith/results/measurement/recording.hpp"
#include "gridsmith/results/measurement/validity.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <optional>

namespace gridsmith {
namespace {

struct TimeUnit {
  std::string_view start; ///< of the word, as writers spell it ("miliseconds")
  double ms;
};

constexpr std::array<TimeUnit, 9> time_units{{{"mili", 1},
                                              {"milli", 1},
                                              {"ms", 1},
                                              {"micro", 1e-3},
                                              {"us", 1e-3},
                                              {"µs", 1e-3},
                                              {"nano", 1e-6},
                                              {"ns", 1e-6},
                                              {"sec", 1e3}}};

/// Nothing for what is no unit of time.
std::optional<double> ms_of_unit(std::string unit) {
  std::transform(unit.begin(), unit.end(), unit.begin(),
                 [](unsigned char one) { return static_cast<char>(std::tolower(one)); });
  for (const TimeUnit& entry : time_units)
    if (unit.starts_with(entry.start))
      return entry.ms;
  return unit == "s" ? std::optional(1e3) : std::nullopt;
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
struct Result {
  Measurement row;
  std::vector<Timing> timings;
  std::string invalidity;
  std::string reason;
  std::vector<std::string> objectives; ///< none: time
};

class Reader {
public:
  Reader(JsonReader& json, Recording& recording) : json_(json), recording_(recording) {}

  void read();

private:
  void metadata();
  void result(RowCollector& rows);
  void field(const std::string& key, Result& result);
  void configuration(Measurement& row);
  void times(Measurement& row);
  void measurements(Result& result);
  void one_measurement(Result& result);
  void environment();

  double unit_ms(const std::string& unit, std::size_t at);
  ReportedTime reported(Result& result);

  JsonReader& json_;
  Recording& recording_;
  std::optional<double>
      unit_ms_;               ///< of all times of the file; none: of each result its objective's
  bool assumed_unit_ = false; ///< of samples
};

void Reader::read() {
  std::optional<std::size_t> results_at;
  json_.object([&](const std::string& key) {
    if (key == "metadata" && json_.peek() == JsonReader::Kind::object) {
      metadata();
    } else {
      if (key == "results")
        results_at = json_.offset();
      json_.skip();
    }
  });
  json_.end();
  if (!results_at)
    json_.fail_at(0, "expected \"results\", the rows of a T4 file");
  RowCollector rows(recording_);
  json_.seek(*results_at);
  json_.array([&] { result(rows); });
  rows.finish();
  if (assumed_unit_)
    recording_.conditions += (recording_.conditions.empty() ? "" : "; ") + std::string(unit_remark);
}

void Reader::metadata() {
  const auto text_of = [this] {
    return json_.peek() == JsonReader::Kind::string ? json_.string() : (json_.skip(), "");
  };
  json_.object([&](const std::string& key) {
    if (key == "timeunit") {
      const std::size_t at = json_.offset();
      if (const std::string unit = text_of(); !unit.empty())
        unit_ms_ = unit_ms(unit, at);
    } else if (key == "kernel")
      recording_.kernel = text_of();
    else if (key == "problem")
      recording_.problem = text_of();
    else if (key == "device")
      recording_.device.name = text_of();
    else if (key == "conditions")
      recording_.conditions = text_of();
    else if (key == "date")
      recording_.date = iso_time(text_of());
    else if (key == "source_hash")
      recording_.source_hash = text_of();
    else if (key == "environment")
      environment();
    else
      json_.skip();
  });
}

/// The facts of the device where a file of ours has them; other tools query in their own way.
void Reader::environment() {
  const std::size_t start = json_.offset();
  const std::string_view text = json_.raw();
  const auto at = nlohmann::json::json_pointer("/device_query/gridsmith");
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

void Reader::result(RowCollector& rows) {
  const std::size_t start = json_.offset();
  Result result;
  json_.object([&](const std::string& key) { field(key, result); });
  if (result.row.configuration.empty())
    json_.fail_at(start, "expected \"configuration\" with the values of a result");
  Measurement& row = result.row;
  const ReportedTime time = reported(result);
  const bool failed = !result.invalidity.empty() && result.invalidity != "correct";
  if (failed) {
    row.status = from_text<Status>(result.invalidity);
    row.reason = !result.reason.empty()  ? result.reason
                 : !time.failure.empty() ? time.failure
                                         : result.invalidity;
    row.times_ms.clear();
  }
  if (failed || rows.settle(row, time))
    rows.add(std::move(row), json_, start);
}

double Reader::unit_ms(const std::string& unit, std::size_t at) {
  if (const auto ms = ms_of_unit(unit))
    return *ms;
  json_.fail_at(at, "unknown unit of time '" + printable(unit) +
                        "' (valid: s, ms, us, ns, and their names)");
}

/// The time that the search minimised; without a unit of the file all times of the result are in its unit.
ReportedTime Reader::reported(Result& result) {
  const auto minimises = [&](const std::string& name) {
    const auto& names = result.objectives;
    return std::find(names.begin(), names.end(), name) != names.end() ||
           (names.empty() && name == "time");
  };
  const bool named = std::any_of(result.timings.begin(), result.timings.end(),
                                 [](const Timing& one) { return one.name == "time"; });
  const auto is_objective = [&](const Timing& one) {
    return minimises(one.name) && (!named || one.name == "time");
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

void Reader::field(const std::string& key, Result& result) {
  using Kind = JsonReader::Kind;
  const Kind kind = json_.peek();
  const std::size_t start = json_.offset();
  if (key == "configuration")
    configuration(result.row);
  else if (key == "times" && kind == Kind::object)
    times(result.row);
  else if (key == "invalidity" && kind == Kind::string) {
    result.invalidity = json_.string();
    try {
      from_text<Status>(result.invalidity);
    } catch (const InputError& error) {
      json_.fail_at(start, error.what());
    }
  } else if (key == "timestamp" && kind == Kind::string)
    result.row.when = iso_time(json_.string());
  else if (key == "reason" && kind == Kind::string)
    result.reason = json_.string();
  else if (key == "pruned_early" && kind == Kind::boolean)
    result.row.pruned_early = std::get<bool>(json_.scalar());
  else if (key == "same_code_as" && kind == Kind::string)
    result.row.same_code_as = json_.string();
  else if (key == "measurements" && kind == Kind::array)
    measurements(result);
  else if (key == "objectives" && kind == Kind::array) {
    json_.array([&] { result.objectives.push_back(to_text(json_.scalar())); });
  } else
    json_.skip();
}

void Reader::configuration(Measurement& row) {
  json_.object(
      [&](const std::string& name) { row.configuration.emplace_back(name, json_.scalar()); });
}

void Reader::times(Measurement& row) {
  using Kind = JsonReader::Kind;
  json_.object([&](const std::string& key) {
    const Kind kind = json_.peek();
    if (key == "runtimes" && kind == Kind::array)
      json_.array([&] {
        if (json_.peek() == Kind::number)
          row.times_ms.push_back(json_.number());
        else
          json_.skip();
      });
    else if ((key == "compilation_time" || key == "compilation") && kind == Kind::number)
      row.spent.compile_ms = json_.number();
    else if (key == "benchmark" && kind == Kind::number)
      row.spent.time_ms = json_.number();
    else if (key == "validation" && kind == Kind::number)
      row.spent.verify_ms = json_.number();
    else
      json_.skip();
  });
}

void Reader::measurements(Result& result) {
  json_.array([&] { one_measurement(result); });
}

void Reader::one_measurement(Result& result) {
  using Kind = JsonReader::Kind;
  const std::size_t start = json_.offset();
  std::string name;
  std::string unit;
  ReportedTime value;
  json_.object([&](const std::string& key) {
    const Kind kind = json_.peek();
    if (key == "name" && kind == Kind::string)
      name = json_.string();
    else if (key == "unit" && kind == Kind::string)
      unit = json_.string();
    else if (key == "value" && kind == Kind::number) {
      value.ms = json_.number();
      value.present = true;
    } else if (key == "value" && kind == Kind::string)
      value.failure = json_.string();
    else
      json_.skip();
  });
  const bool timed = name == "time" || (ms_of_unit(unit) && name.find("__") == name.npos);
  if (timed) {
    const double unit_of = unit.empty() ? unit_ms_.value_or(1) : unit_ms(unit, start);
    value.ms *= unit_of;
    result.timings.push_back({name, value, unit_of});
  } else if (value.present && std::isfinite(value.ms) &&
             name.find("__") != name.npos) { // CUPTI's metric names
    result.row.counters[name] = value.ms;
  }
}

} // namespace

Recording read_t4(std::string_view text, const std::string& name) {
  Recording recording;
  recording.format = "t4";
  JsonReader json(text, name);
  Reader(json, recording).read();
  return recording;
}

} // namespace gridsmith
