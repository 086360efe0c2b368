// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/results/report/answer_part.hpp"

#include "gridsmith/base/error.hpp"
#include "gridsmith/base/json_text.hpp"
#include "gridsmith/results/formats/answer_json.hpp"
#include "gridsmith/results/header/constants.hpp"
#include "gridsmith/results/influence/influence_text.hpp"
#include "gridsmith/results/measurement/failures.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace gridsmith {
namespace {

using Ordered = nlohmann::ordered_json;

constexpr std::size_t largest_header = 20'000; // configurations; choosing among more takes seconds

Ordered ceilings_json(const Roofline& roofline) {
  Ordered list = Ordered::array();
  for (const Ceiling& one : roofline.ceilings) {
    Ordered json = {{"name", one.name},         {"unit", one.unit},
                    {"peak", one.peak},         {"measured", one.measured},
                    {"achieved", one.achieved}, {"fraction", one.fraction}};
    if (one.flop_per_byte)
      json["flop_per_byte"] = *one.flop_per_byte;
    if (one.gflop_per_s)
      json["gflop_per_s"] = *one.gflop_per_s;
    list.push_back(std::move(json));
  }
  return list;
}

/// Why it takes as long as it does, as 'gridsmith explain' says it.
void add_explanation(const LaunchExplanation& why, const std::string& how_to_count, Ordered& json) {
  const bool unknown = why.verdict.bound == Bound::unknown;
  json["bound"] = to_text(why.verdict.bound);
  json["bound_text"] = why.verdict.bound_text + (unknown ? "; " + how_to_count : "");
  Ordered& findings = json["findings"] = Ordered::array();
  for (const Finding& one : why.verdict.findings)
    findings.push_back(finding_json(one));
  json["traffic"] = why.traffic;
  for (const auto& [name, percents] : {std::pair{"busy", &why.busy}, {"waits", &why.waits}}) {
    Ordered& of = json[name] = Ordered::object();
    for (const auto& [what, percent] : *percents)
      of[what] = percent;
  }
  json["ceilings"] = ceilings_json(why.roofline);
}

void add_ranking(const ReportSet& set, Ordered& json) {
  Ordered tied = Ordered::array(), ranking = Ordered::array();
  for (const Ranked& one : set.answer.ranking) {
    const auto row = set.row(one.measurement.configuration);
    if (one.tied && row && &one != &set.answer.ranking.front())
      tied.push_back(*row);
    ranking.push_back({{"row", or_null(row)},
                       {"time_ms", one.time.median_ms},
                       {"low_ms", one.time.low_ms},
                       {"high_ms", one.time.high_ms},
                       {"samples", one.time.samples},
                       {"tied", one.tied}});
    if (const auto doubt =
            rate_doubt(one.measurement, board_of(set.recording), set.answer.found_by.workload))
      ranking.back()["doubt"] = to_text(*doubt);
  }
  json["tied"] = std::move(tied);
  json["ranking"] = std::move(ranking);
  json["tie_break"] = tie_break(set.answer.ranking, set.answer.found_by);
}

std::string header_of(const ReportSet& set) {
  if (set.recording.measurements.size() > largest_header)
    return "";
  try {
    return export_text(export_format("header"), {&set.exported, 1});
  } catch (const InputError&) { // what a header cannot say is no reason to have no report
    return "";
  }
}

/// Its parameters as options of a compiler, on one line; "" where a line cannot hold them.
std::string options_of(const ReportSet& set) {
  try {
    std::string lines = export_text(export_format("macros"), {&set.exported, 1});
    std::replace(lines.begin(), lines.end(), '\n', ' ');
    return lines.substr(0, lines.find_last_not_of(' ') + 1);
  } catch (const InputError&) {
    return "";
  }
}

/// The columns that differ most between the default and the best.
void add_contrast(const ReportSet& set, const Measurement& best, const Influence& known,
                  Ordered& json) {
  const auto usual = set.default_row();
  if (!usual || !cost_ms(set.recording.measurements[*usual]))
    return;
  const Measurement& before = set.recording.measurements[*usual];
  constexpr std::size_t shown = 3, compared = 64;
  Contrast found = contrast(before, best, set.recording, known, compared);
  // What the sentence names stands first.
  std::vector<std::string> names;
  names.reserve(shown + compared);
  for (const Difference& one : reasons(found, shown))
    names.push_back(one.quantity.name);
  for (const Difference& one : found.differences)
    if (std::find(names.begin(), names.end(), one.quantity.name) == names.end())
      names.push_back(one.quantity.name);
  names.resize(std::min(names.size(), shown));
  json["differences"] = names;
  found.differences.resize(std::min(found.differences.size(), shown));
  json["against_default"] = describe(found);
}

} // namespace

nlohmann::ordered_json answer_part(const ReportSet& set, std::optional<std::size_t> worst_row,
                                   const Influence& known) {
  Ordered json = {{"sentences", set.source.sentences},
                  {"verified", set.source.verified},
                  {"conditions", set.recording.conditions},
                  {"command", set.settings.source ? set.source.command : ""}};
  if (const FoundBy& found_by = set.answer.found_by; !found_by.against.empty())
    json["axes"] = {objective_of(found_by).metric, against_of(found_by).metric};
  json["not_confirmed_because"] =
      not_confirmed_because(set.answer, set.recording.measurements, board_of(set.recording));
  json["default_row"] = or_null(set.default_row());
  json["worst_row"] = or_null(worst_row);
  add_ranking(set, json);
  if (!has_best(set.exported)) {
    json["row"] = nullptr;
    json["findings"] = Ordered::array();
    return json;
  }
  const Measurement& best = best_of(set.exported);
  json["row"] = or_null(set.row(best.configuration));
  if (const auto found = time_of(best)) {
    const TimeSummary& time = *found;
    json["time_ms"] = time.median_ms;
    json["time_words"] = time_words(time);
    json["interval_ms"] = {time.low_ms, time.high_ms};
    json["quartiles_ms"] = {time.first_quartile_ms, time.third_quartile_ms};
  }
  const LaunchExplanation why = set.explanation();
  add_explanation(why, how_to_count(set.exported.definition.get(), set.recording.problem), json);
  json["winner"] = winner_json(winner_of(set.exported, known), why.verdict);
  add_contrast(set, best, known, json);
  json["influence"] = describe(known);
  json["options"] = options_of(set);
  json["constants"] =
      constants_text(set.recording.kernel + "_" + set.recording.problem, best.configuration);
  json["header"] = header_of(set);
  return json;
}

} // namespace gridsmith
