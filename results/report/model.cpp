// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/results/report/model.hpp"

#include "gridsmith/base/clock_text.hpp"
#include "gridsmith/base/error.hpp"
#include "gridsmith/base/file.hpp"
#include "gridsmith/base/json_fields.hpp"
#include "gridsmith/base/json_text.hpp"
#include "gridsmith/base/safe_text.hpp"
#include "gridsmith/base/version.hpp"
#include "gridsmith/metrics/device/capability.hpp"
#include "gridsmith/results/formats/answer_json.hpp"
#include "gridsmith/results/influence/importance.hpp"
#include "gridsmith/results/report/answer_part.hpp"
#include "gridsmith/results/report/columns.hpp"
#include "gridsmith/results/report/device_part.hpp"
#include "gridsmith/results/report/families.hpp"
#include "gridsmith/results/report/report_set.hpp"
#include "gridsmith/results/report/search_part.hpp"
#include "gridsmith/results/report/words.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <functional>
#include <limits>
#include <map>
#include <numeric>
#include <optional>

namespace gridsmith {
namespace {

using Ordered = nlohmann::ordered_json;

constexpr std::size_t best_with_samples = 20;
constexpr std::size_t longest_text =
    1'000'000; // bytes of source or code: nobody reads more in a page

// ---- the rows

/// Where the source is not to be seen, of a failure its status alone: logs quote lines and name files.
std::vector<ReportColumn> shown_columns(const ReportSet& set) {
  std::vector<ReportColumn> columns = report_columns(set.recording);
  if (!set.settings.source)
    for (ReportColumn& column : columns)
      if (column.name == "failure" && column.kind == "result")
        std::fill(column.texts.begin(), column.texts.end(), "");
  return columns;
}

/// Rows with a time, the fastest first.
std::vector<std::size_t> by_time(const Recording& recording) {
  std::vector<std::pair<double, std::size_t>> timed;
  for (std::size_t row = 0; row < recording.measurements.size(); ++row)
    if (const auto cost = cost_ms(recording.measurements[row]))
      timed.emplace_back(*cost, row);
  std::sort(timed.begin(), timed.end());
  std::vector<std::size_t> rows;
  rows.reserve(timed.size());
  for (const auto& [cost, row] : timed)
    rows.push_back(row);
  return rows;
}

void add_samples(const ReportSet& set, const std::vector<std::size_t>& sorted, Ordered& json) {
  std::vector<std::size_t> rows(
      sorted.begin(),
      sorted.begin() + static_cast<std::ptrdiff_t>(std::min(sorted.size(), best_with_samples)));
  if (!sorted.empty())
    rows.push_back(sorted.back());
  if (const auto usual = set.default_row())
    rows.push_back(*usual);
  for (const Ranked& one : set.answer.ranking)
    if (const auto row = set.row(one.measurement.configuration))
      rows.push_back(*row);
  Ordered& times = json["samples"] = Ordered::object();
  Ordered taken = Ordered::object(), clocks = Ordered::object();
  for (const std::size_t row : rows) {
    const Measurement& one = set.recording.measurements[row];
    const std::string key = std::to_string(row);
    if (one.times_ms.empty())
      continue;
    times[key] = one.times_ms;
    if (!one.taken_at_ms.empty())
      taken[key] = one.taken_at_ms;
    if (!one.clocks_mhz.empty())
      clocks[key] = one.clocks_mhz;
  }
  if (!taken.empty())
    json["sample_at_ms"] = std::move(taken);
  if (!clocks.empty())
    json["sample_clock_mhz"] = std::move(clocks);
}

/// The best measured again, in turn.
Ordered finals_json(const ReportSet& set) {
  Ordered list = Ordered::array();
  if (!set.answer.found_by.measured_again)
    return list;
  for (const Ranked& one : set.answer.ranking) {
    const Measurement& final = one.measurement;
    Ordered json = {{"row", or_null(set.row(final.configuration))}, {"ms", final.times_ms}};
    if (!final.taken_at_ms.empty())
      json["at_ms"] = final.taken_at_ms;
    if (!final.clocks_mhz.empty())
      json["mhz"] = final.clocks_mhz;
    list.push_back(std::move(json));
  }
  return list;
}

// ---- the parameters

Ordered importance_of(const Recording& recording, const Influence& known) {
  if (!known.enough)
    return nullptr;
  const Importance found = importance(recording, known);
  Ordered mains = Ordered::array(), pairs = Ordered::array();
  for (const ParameterEffect& one : found.mains)
    mains.push_back(
        {{"parameter", one.parameter}, {"share", one.share}, {"by_chance", one.by_chance}});
  for (const PairEffect& one : found.pairs)
    pairs.push_back({{"a", one.a}, {"b", one.b}, {"share", one.share}});
  return {{"mains", std::move(mains)}, {"pairs", std::move(pairs)}, {"explained", found.explained}};
}

// ---- the code

/// Lines of that file that causes are told of.
Ordered lines_of(const ReportSet& set, const std::string& file) {
  Ordered lines = Ordered::array();
  if (!set.code() || !has_best(set.exported))
    return lines;
  for (const Finding& finding : set.explanation().verdict.findings)
    for (const LineCount& one : finding.places)
      if (const auto colon = one.place.rfind(':'); one.place.substr(0, colon) == file)
        lines.push_back({{"line", std::stoi(one.place.substr(colon + 1))},
                         {"words", plain_words(finding.cause)}});
  return lines;
}

std::string shown_text(const std::string& text) {
  return well_formed(std::string_view(text).substr(0, longest_text));
}

Ordered source_of(const ReportSet& set) {
  const auto& definition = set.exported.definition;
  if (!definition || !set.settings.source)
    return nullptr;
  try {
    const std::string file = definition->source.filename().string();
    return {{"file", file},
            {"text", shown_text(read_unpacked(definition->source))},
            {"lines", lines_of(set, file)}};
  } catch (const InputError&) { // it was moved since
    return nullptr;
  }
}

Ordered compile_of(const ReportSet& set) {
  if (!has_best(set.exported) || !best_of(set.exported).compile_facts)
    return nullptr;
  const CompileFacts& facts = *best_of(set.exported).compile_facts;
  Ordered json = {{"registers", facts.registers_per_thread},
                  {"spill_bytes", or_null(facts.spill_bytes())},
                  {"static_shared_bytes", facts.static_shared_bytes},
                  {"local_bytes", or_null(facts.local_bytes)},
                  {"constant_bytes", facts.constant_bytes}};
  if (set.code())
    json["command"] = set.code()->command;
  return json;
}

Ordered code_of(const ReportSet& set) {
  if (!set.code() || set.code()->text.empty())
    return nullptr;
  return {{"kind", set.code()->kind}, {"text", shown_text(set.code()->text)}};
}

std::string id_of(const Recording& recording) {
  return recording.kernel + "/" + recording.problem + "/" + recording.device.name;
}

/// Not written where it is not known.
void put(Ordered& json, const char* name, Ordered value) {
  const auto* text = value.get_ptr<const std::string*>();
  if (!value.is_null() && !(text && text->empty()))
    json[name] = std::move(value);
}

/// Those that have measured; the others have no place on an axis of times.
Ordered checks_json(const std::vector<PastCheck>& checks) {
  Ordered json = Ordered::array();
  for (const PastCheck& one : checks)
    if (one.old_ms > 0)
      json.push_back({{"when", one.date},
                      {"verdict", to_text(one.verdict)},
                      {"ratio", one.ratio},
                      {"low", one.low},
                      {"high", one.high},
                      {"pairs", one.pairs}});
  return json;
}

Ordered set_json(const ReportSource& source, std::span<const ReportSource* const> others,
                 const ReportSettings& settings) {
  const ReportSet set(source, settings);
  const Recording& of = set.recording;
  Ordered json = {{"id", id_of(of)}, {"kernel", of.kernel}, {"problem", of.problem}};
  json["device"] = device_json(of.device);
  json["replayed"] = is_replay(source.exported);
  put(json, "date", of.date);
  put(json, "conditions", of.conditions);
  if (settings.source)
    put(json, "origin", std::filesystem::path(source.origin).filename().string());
  json["format"] = of.format;
  put(json, "toolkit", of.device.toolkit_version);
  put(json, "driver", of.device.driver_version);
  json["peaks"] = peaks_json(of.peaks);
  const Workload& answered = set.answer.found_by.workload;
  json["workload"] =
      workload_json(answered.model_bytes + answered.model_flops > 0 ? answered : of.workload);
  json["rows"] = of.measurements.size();
  json["columns"] = Ordered::array();
  for (const ReportColumn& column : shown_columns(set))
    json["columns"].push_back(column_json(column));
  const std::vector<std::size_t> sorted = by_time(of);
  const Influence known = influence(of);
  add_samples(set, sorted, json);
  json["finals"] = finals_json(set);
  json["answer"] =
      answer_part(set, sorted.empty() ? std::nullopt : std::optional(sorted.back()), known);
  json["runs"] = runs_json(set, others);
  json["timeline"] = timeline_json(set);
  put(json, "spent", spent_json(set, json["timeline"]));
  put(json, "importance", importance_of(of, known));
  put(json, "occupancy_limits", limits_json(of.device));
  put(json, "source", source_of(set));
  put(json, "compile", compile_of(set));
  put(json, "code", code_of(set));
  json["checks"] = checks_json(source.checks);
  return json;
}

} // namespace

Ordered report_model(std::span<const ReportSource> sources, const ReportSettings& settings) {
  if (sources.empty())
    throw InputError("a report needs something that was measured");
  std::vector<std::vector<const ReportSource*>> groups; // in the order given
  for (const ReportSource& one : sources) {
    const auto same = std::find_if(groups.begin(), groups.end(), [&](const auto& group) {
      return id_of(group.front()->exported.recording) == id_of(one.exported.recording);
    });
    same == groups.end() ? groups.push_back({&one}) : same->push_back(&one);
  }
  Ordered json = {{"version", report_version},
                  {"program", fmt::format("gridsmith {}", version())},
                  {"written", utc_now()},
                  {"with_source", settings.source}};
  if (settings.source)
    put(json, "command", settings.command);
  for (const auto& [word, line] : report_words())
    json["words"][std::string(word)] = line;
  json["sets"] = Ordered::array();
  std::vector<const Export*> exports;
  for (const auto& group : groups) {
    exports.push_back(&group.front()->exported);
    json["sets"].push_back(set_json(*group.front(), std::span(group).subspan(1), settings));
  }
  json["families"] = families_json(exports);
  return json;
}

} // namespace gridsmith
