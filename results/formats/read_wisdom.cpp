// SPDX-License-Identifier: Apache-2.0
// Kernel Launcher's wisdom files, version 1.0: a line of JSON for the kernel, then a line per
// configuration that was worth keeping, of any device and problem. Ours is results/formats/wisdom.cpp.
#include "gridsmith/results/formats/parts/json_reader.hpp"
#include "gridsmith/results/formats/parts/row_collector.hpp"
#include "gridsmith/results/formats/readers.hpp"
#include "gridsmith/results/measurement/validity.hpp"

#include <fmt/format.h>

#include <deque>

namespace gridsmith {
namespace {

using Kind = JsonReader::Kind;

struct Header {
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

std::string text_of(JsonReader& json) {
  return json.peek() == Kind::string ? json.string() : (json.skip(), "");
}

Header header_of(JsonReader& json) {
  Header header;
  json.object([&](const std::string& key) {
    if (key == "version")
      header.version = text_of(json);
    else if (key == "objective")
      header.objective = text_of(json);
    else if (key == "key")
      header.kernel = text_of(json);
    else if (key == "tunable_parameters")
      json.array([&] { header.parameters.push_back(json.string()); });
    else
      json.skip();
  });
  if (header.version != "1.0")
    json.fail_at(0, "expected a wisdom file of version 1.0, found '" + header.version + "'");
  if (header.objective != "time")
    json.fail_at(0, "expected the objective 'time' of a wisdom file, found '" + header.objective +
                        "'");
  return header;
}

void read_environment(JsonReader& json, Line& line) {
  Recording& of = line.of;
  const std::pair<std::string_view, std::string*> texts[] = {
      {"device_name", &of.device.name},      {"date", &line.row.when},
      {"driver", &of.device.driver_version}, {"toolkit", &of.device.toolkit_version},
      {"conditions", &of.conditions},        {"source_hash", &of.source_hash}};
  json.object([&](const std::string& key) {
    for (const auto& [name, text] : texts)
      if (key == name) {
        *text = text_of(json);
        return;
      }
    if (key == "compute_capability" && json.peek() == Kind::number)
      of.device.compute_capability = json.whole<int>(0);
    else
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

Line line_of(JsonReader& json) {
  Line line;
  json.object([&](const std::string& key) {
    const Kind kind = json.peek();
    if (key == "config" && kind == Kind::array)
      json.array([&] { line.values.push_back(json.scalar()); });
    else if (key == "problem_size" && kind == Kind::array)
      line.of.problem = problem_in(json);
    else if (key == "time" && kind == Kind::number)
      line.time = {json.number(), true, ""};
    else if (key == "environment" && kind == Kind::object)
      read_environment(json, line);
    else
      json.skip();
  });
  return line;
}

class Reader {
public:
  Reader(std::string_view text, const std::string& name)
      : text_(text), json_(text, name), header_(header_of(json_)) {}

  std::vector<Recording> read();

private:
  void take(Line line, std::size_t offset);
  Group& group_of(Recording& of);

  std::string_view text_;
  JsonReader json_;
  Header header_;
  std::deque<Group> groups_;
};

/// Lines that are empty or comments are passed over, as Kernel Launcher does.
std::vector<Recording> Reader::read() {
  for (std::size_t at = text_.find('\n'); at < text_.size(); at = text_.find('\n', at)) {
    const std::string_view rest = text_.substr(++at);
    const std::string_view line = rest.substr(0, rest.find('\n'));
    const std::size_t first = line.find_first_not_of(" \t\r");
    if (first == line.npos || line[first] == '#' || line.substr(first).starts_with("//"))
      continue;
    json_.seek(at);
    take(line_of(json_), at);
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

void Reader::take(Line line, std::size_t offset) {
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

Group& Reader::group_of(Recording& of) {
  for (Group& group : groups_)
    if (group.recording.device == of.device && group.recording.problem == of.problem &&
        group.recording.conditions == of.conditions)
      return group;
  of.format = "wisdom";
  of.kernel = header_.kernel;
  return groups_.emplace_back(std::move(of));
}

} // namespace

std::vector<Recording> read_wisdom(std::string_view text, const std::string& name) {
  return Reader(text, name).read();
}

Recording read_only_wisdom(std::string_view text, const std::string& name) {
  std::vector<Recording> all = read_wisdom(text, name);
  if (all.size() > 1)
    throw InputError(fmt::format("{}: a wisdom file of {} devices and problems; 'gridsmith export "
                                 "recording' makes a recording of one",
                                 name, all.size()));
  return std::move(all.front());
}

} // namespace gridsmith
