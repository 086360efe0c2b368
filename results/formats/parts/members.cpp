// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/results/formats/parts/members.hpp"

#include "gridsmith/base/json_fields.hpp"

namespace gridsmith {
namespace {

constexpr const char *name_member = "name", *values_member = "values";

} // namespace

nlohmann::json parameters_json(const std::vector<Parameter>& parameters) {
  nlohmann::json list = nlohmann::json::array();
  for (const Parameter& parameter : parameters)
    list.push_back({{name_member, parameter.name},
                    {values_member, fields::written(parameter.values, Fields::all)}});
  return list;
}

std::vector<Parameter> read_parameters(JsonReader& json) {
  std::vector<Parameter> parameters;
  json.array([&] {
    Parameter& parameter = parameters.emplace_back();
    json.object([&](const std::string& key) {
      if (key == name_member)
        parameter.name = json.string();
      else if (key == values_member)
        json.array([&] { parameter.values.push_back(json.scalar()); });
      else
        json.skip();
    });
  });
  return parameters;
}

std::optional<Status> read_status(JsonReader& json) {
  const std::size_t start = json.offset();
  std::string word;
  if (!json.into(word))
    return std::nullopt;
  try {
    return from_text<Status>(word);
  } catch (const InputError& error) {
    json.fail_at(start, error.what());
  }
}

void read_reported(JsonReader& json, ReportedTime& reported) {
  if (json.peek() == JsonReader::Kind::string)
    reported.failure = json.string();
  else if (json.into(reported.ms))
    reported.present = true;
}

void read_rows_last(JsonReader& json, Recording& recording, const char* rows, const char* of_what,
                    const std::function<bool(const std::string& key)>& other,
                    const std::function<void(RowCollector&)>& row) {
  std::optional<std::size_t> rows_at;
  json.object([&](const std::string& key) {
    if (key == rows)
      rows_at = json.offset();
    if (key == rows || !other(key))
      json.skip();
  });
  json.end();
  if (!rows_at)
    json.fail_at(0, std::string("expected \"") + rows + "\", the rows of " + of_what);
  RowCollector collector(recording);
  json.seek(*rows_at);
  json.array([&] { row(collector); });
  collector.finish();
}

} // namespace gridsmith
