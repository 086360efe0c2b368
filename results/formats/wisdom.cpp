// SPDX-License-Identifier: Apache-2.0
// Kernel Launcher's wisdom file, version 1.0: a line of JSON for the kernel, then a line per configuration that
// was worth keeping; we write the best of each device and problem. Times in ms. Format:
// python/kernel_launcher/wisdom.py and src/wisdom.cpp of its repository. Put it as <kernel>.wisdom where Kernel
// Launcher looks.
#include "gridsmith/base/error.hpp"
#include "gridsmith/base/json_fields.hpp"
#include "gridsmith/base/json_text.hpp"
#include "gridsmith/base/safe_text.hpp"
#include "gridsmith/kernels/definition/problem_size.hpp"
#include "gridsmith/results/formats/newest.hpp"
#include "gridsmith/results/formats/parts/foreign_words.hpp"
#include "gridsmith/results/formats/parts/row_collector.hpp"
#include "gridsmith/results/formats/readers.hpp"
#include "gridsmith/results/measurement/objective.hpp"
#include "gridsmith/results/measurement/validity.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <cmath>
#include <deque>

namespace gridsmith {
namespace {

using Ordered = nlohmann::ordered_json;
using Kind = JsonReader::Kind;

// Members of the first line, with what is there, and of the others.
constexpr const char *version_member = "version", *wisdom_version = "1.0",
                     *objective_member = "objective", *wisdom_objective = "time",
                     *key_member = "key";
constexpr const char *config_member = "config", *size_member = "problem_size", *ms_member = "time",
                     *where_member = "environment";

/// Of a line's environment: visit(name, member).
void for_environment(Like<Recording> auto& of, auto& date, auto&& visit) {
  visit("date", date);
  visit("device_name", of.device.name);
  visit("compute_capability", of.device.compute_capability);
  visit("driver", of.device.driver_version);
  visit("toolkit", of.device.toolkit_version);
  visit("conditions", of.conditions);
  visit("source_hash", of.source_hash);
}

struct WisdomHeader {
  std::string version, objective, kernel;
  std::vector<std::string> parameters;
};

/// What one line says.
struct Line {
  std::vector<Value> values;
  Recording of; ///< of its device and problem
  Measurement row;
  ReportedTime time;
};

/// All of one device and problem. Stays where it was made: the rows know the recording.
struct Group {
  explicit Group(Recording of) : recording(std::move(of)) {}

  Recording recording;
  RowCollector rows{recording};
};

WisdomHeader header_of(JsonReader& json) {
  WisdomHeader header;
  json.object([&](const std::string& key) {
    if (key == version_member)
      json.into(header.version);
    else if (key == objective_member)
      json.into(header.objective);
    else if (key == key_member)
      json.into(header.kernel);
    else if (key == wisdom_member)
      json.array([&] { header.parameters.push_back(json.string()); });
    else
      json.skip();
  });
  if (header.version != wisdom_version)
    json.fail_at(0, "expected a wisdom file of version 1.0, found '" + header.version + "'");
  if (header.objective != wisdom_objective)
    json.fail_at(0, "expected the objective 'time' of a wisdom file, found '" + header.objective +
                        "'");
  return header;
}

void read_environment(JsonReader& json, Line& line) {
  json.object([&](const std::string& key) {
    const auto list = [&](auto&& visit) { for_environment(line.of, line.row.when, visit); };
    if (!json.listed(key, list))
      json.skip();
  });
  line.row.when = iso_time(line.row.when);
}

std::string problem_in(JsonReader& json) {
  std::string text;
  json.array(
      [&] { text += (text.empty() ? "" : "x") + std::to_string(json.whole<std::int64_t>(0)); });
  return text;
}

Line read_line(JsonReader& json) {
  Line line;
  json.object([&](const std::string& key) {
    const Kind kind = json.peek();
    if (key == config_member && kind == Kind::array)
      json.array([&] { line.values.push_back(json.scalar()); });
    else if (key == size_member && kind == Kind::array)
      line.of.problem = problem_in(json);
    else if (key == ms_member && kind == Kind::number)
      line.time = {json.number(), true, ""};
    else if (key == where_member && kind == Kind::object)
      read_environment(json, line);
    else
      json.skip();
  });
  return line;
}

class WisdomReader {
public:
  WisdomReader(std::string_view text, const std::string& name)
      : text_(text), json_(text, name), header_(header_of(json_)) {}

  std::vector<Recording> read();

private:
  void take(Line line, std::size_t offset);
  Group& group_of(Recording& of);

  std::string_view text_;
  JsonReader json_;
  WisdomHeader header_;
  std::deque<Group> groups_;
};

/// Lines that are empty or comments are passed over, as Kernel Launcher does.
std::vector<Recording> WisdomReader::read() {
  for (std::size_t at = text_.find('\n'); at < text_.size(); at = text_.find('\n', at)) {
    const std::string_view rest = text_.substr(++at);
    const std::string_view line = rest.substr(0, rest.find('\n'));
    const std::size_t first = line.find_first_not_of(" \t\r");
    if (first == line.npos || line[first] == '#' || line.substr(first).starts_with("//"))
      continue;
    json_.seek(at);
    take(read_line(json_), at);
  }
  std::vector<Recording> recordings;
  for (Group& group : groups_) {
    group.rows.finish();
    recordings.push_back(std::move(group.recording));
  }
  if (recordings.empty())
    json_.fail_at(0, "expected measurements, the wisdom file holds none");
  return recordings;
}

void WisdomReader::take(Line line, std::size_t offset) {
  if (line.values.size() != header_.parameters.size())
    json_.fail_at(offset, fmt::format("expected \"config\" with {} values, found {}",
                                      header_.parameters.size(), line.values.size()));
  if (const std::string objection = objection_to(line.of.device); !objection.empty())
    json_.fail_at(offset, objection);
  for (std::size_t i = 0; i < line.values.size(); ++i)
    line.row.configuration.emplace_back(header_.parameters[i], std::move(line.values[i]));
  RowCollector& rows = group_of(line.of).rows;
  if (rows.settle(line.row, line.time))
    rows.add(std::move(line.row), json_, offset);
}

Group& WisdomReader::group_of(Recording& of) {
  for (Group& group : groups_)
    if (group.recording.device == of.device && group.recording.problem == of.problem &&
        group.recording.conditions == of.conditions)
      return group;
  of.format = "wisdom";
  of.kernel = header_.kernel;
  return groups_.emplace_back(std::move(of));
}

constexpr std::size_t most_extents = 3;      ///< that Kernel Launcher reads
constexpr double exact = 9007199254740992.0; ///< 2^53: whole numbers below are exact in a double

/// A whole number is written as one: Kernel Launcher compares 16 with the parameter's values, not 16.0.
Ordered wisdom_value(const Value& value) {
  const double* real = std::get_if<double>(&value);
  return real && std::trunc(*real) == *real && std::abs(*real) < exact
             ? Ordered(static_cast<std::int64_t>(*real))
             : Ordered(json_of(value));
}

/// @throws InputError: other parameters, or a problem that is none
Ordered line_of(const Export& exported, const Configuration& names) {
  const Recording& of = exported.recording;
  const Measurement& best = best_of(exported);
  const std::vector<std::int64_t> extents = extents_of(of.problem);
  const std::string what = printable(fmt::format("kernel '{}' on '{}'", of.kernel, of.device.name));
  if (extents.empty() || extents.size() > most_extents)
    throw InputError(fmt::format("{}: wisdom needs a problem size of 1 to 3 extents, not '{}'",
                                 what, printable(of.problem)));
  Ordered values = Ordered::array();
  for (const auto& [name, ignored] : names)
    if (const Value* value = find_value(best.configuration, name))
      values.push_back(wisdom_value(*value));
  if (values.size() != names.size() || names.size() != best.configuration.size())
    throw InputError(what + ": recordings have different parameters; a wisdom file has one list");
  Ordered environment;
  for_environment(of, best.when.empty() ? of.date : best.when,
                  [&](const char* name, const auto& member) { environment[name] = member; });
  return {{config_member, std::move(values)},
          {size_member, extents},
          {ms_member, cost_ms(best).value()},
          {where_member, std::move(environment)}};
}

} // namespace

std::vector<Recording> read_wisdom(std::string_view text, const std::string& name) {
  return WisdomReader(text, name).read();
}

Recording read_only_wisdom(std::string_view text, const std::string& name) {
  std::vector<Recording> all = read_wisdom(text, name);
  if (all.size() > 1)
    throw InputError(fmt::format("{}: a wisdom file of {} devices and problems; 'gridsmith export "
                                 "recording' makes a recording of one",
                                 name, all.size()));
  return std::move(all.front());
}

/// @throws InputError: several kernels, or what line_of() does
std::string wisdom_text(std::span<const Export> all) {
  std::vector<Export> exports;
  exports.reserve(all.size());
  for (const Export& one : all)
    exports.push_back(by_time(one));
  const std::vector<const Export*> list = newest_of(exports);
  const std::string& kernel = list.front()->recording.kernel;
  if (list.back()->recording.kernel != kernel)
    throw InputError(
        fmt::format("format 'wisdom' holds one kernel; choose with --kernel: '{}', '{}' …",
                    printable(kernel), printable(list.back()->recording.kernel)));
  const Configuration& names = best_of(*list.front()).configuration;
  Ordered parameters = Ordered::array();
  for (const auto& [name, ignored] : names)
    parameters.push_back(name);
  std::string text = json_text(Ordered{{version_member, wisdom_version},
                                       {objective_member, wisdom_objective},
                                       {wisdom_member, std::move(parameters)},
                                       {key_member, kernel}}) +
                     "\n";
  for (const Export* exported : list)
    text += json_text(line_of(*exported, names)) + "\n";
  return text;
}

} // namespace gridsmith
