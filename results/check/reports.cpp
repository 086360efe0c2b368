// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/results/check/reports.hpp"

#include "gridsmith/base/json_text.hpp"
#include "gridsmith/base/named.hpp"
#include "gridsmith/base/number_text.hpp"
#include "gridsmith/base/safe_text.hpp"
#include "gridsmith/base/text_layout.hpp"
#include "gridsmith/base/text_table.hpp"
#include "gridsmith/base/version.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>

namespace gridsmith {
namespace {

using Json = nlohmann::ordered_json;
namespace fs = std::filesystem;

/// Samples of shorter kernels spread by some percent (3.5 % measured at 4 us), so they are shown apart.
constexpr double short_ms = 0.02;

bool is_short(const CheckCase& one) {
  return one.time && one.time->old_ms > 0 && one.time->old_ms < short_ms;
}

/// As a build's log names it: from the folder that the repository is in.
std::string path_from(const std::string& file, const fs::path& root) {
  if (file.empty())
    return "";
  const fs::path whole = fs::path(file).lexically_normal(), near = whole.lexically_proximate(root);
  return (near.empty() || *near.begin() == ".." ? whole : near).generic_string();
}

std::map<CheckVerdict, std::size_t> counts_of(const CheckResult& result) {
  std::map<CheckVerdict, std::size_t> counts;
  for (const CheckCase& one : result.cases)
    ++counts[one.verdict];
  return counts;
}

/// In the order in which they matter to a reader.
constexpr std::array<CheckVerdict, 10> by_weight{
    CheckVerdict::wrong,     CheckVerdict::slower,       CheckVerdict::worse,
    CheckVerdict::changed,   CheckVerdict::incomparable, CheckVerdict::missing,
    CheckVerdict::undecided, CheckVerdict::different,    CheckVerdict::faster,
    CheckVerdict::same};

/// Whether a case is told from others by where it was compiled for, or ran.
bool on_several(const CheckResult& result) {
  return std::any_of(result.cases.begin(), result.cases.end(),
                     [&](const CheckCase& one) { return one.where != result.cases.front().where; });
}

/// "reduction 67108864", "reduction 67108864 on sm_90"
std::string place_of(const CheckCase& one, bool several) {
  return title_of(one) + (several && !one.where.empty() ? " on " + one.where : "");
}

/// One line: verdict, why, and what differs.
std::string message_of(const CheckCase& one, bool several = false) {
  std::string text = fmt::format("{}: {}", place_of(one, several), to_text(one.verdict));
  if (!one.reason.empty())
    text += ", " + one.reason;
  if (one.objective)
    text += "; " + to_text(*one.objective);
  if (!one.changes.empty())
    text += fmt::format("; {}", fmt::join(one.changes, "; "));
  return printable(text);
}

// ---- the table

/// Of compiled code alone nothing was timed.
bool any_timed(const CheckResult& result) {
  return std::any_of(result.cases.begin(), result.cases.end(),
                     [](const CheckCase& one) { return one.time.has_value(); });
}

/// How much of a table is shown.
struct TableRoom {
  std::size_t title = unlimited_width, where = unlimited_width; ///< characters
  bool whole = true; ///< else without interval, pairs and seconds
};

Table table_of(const std::vector<const CheckCase*>& cases, const TableRoom& room) {
  constexpr std::size_t first_figures = 6; // up to the ratio
  std::vector<Column> columns{
      {"verdict", "", true}, {"kernel", "", true}, {"on", "", true}, {"old", "ms"}, {"new", "ms"},
      {"ratio", "%"},        {"from", "%"},        {"to", "%"},      {"pairs", ""}, {"took", "s"}};
  const std::size_t shown = room.whole ? columns.size() : first_figures;
  columns.resize(shown);
  Table table(std::move(columns));
  for (const CheckCase* one : cases) {
    const auto time = one->time;
    std::vector<std::string> cells{std::string(to_text(one->verdict)) +
                                       (one->weaker ? " (weaker)" : ""),
                                   cut(printable(title_of(*one)), room.title),
                                   cut(printable(one->where), room.where),
                                   time ? number_text(time->old_ms) : "",
                                   time ? number_text(time->new_ms) : "",
                                   time ? change_text(time->ratio) : "",
                                   time ? change_text(time->low) : "",
                                   time ? change_text(time->high) : "",
                                   time && time->pairs > 0 ? std::to_string(time->pairs) : "",
                                   one->seconds > 0 ? fmt::format("{:.1f}", one->seconds) : ""};
    cells.resize(shown);
    table.add(std::move(cells));
  }
  return table;
}

/// Titles are cut where the table would be wider: those of templates' instances have no end. Then devices, then
/// figures that the lines below have too.
std::string table_text(const std::vector<const CheckCase*>& cases, std::size_t width) {
  constexpr std::size_t least = 12; // characters that tell anything
  TableRoom room;
  std::string text;
  const auto fits = [&] {
    text = table_of(cases, room).text();
    return widest_line(text) <= width;
  };
  const auto narrowed = [&](std::size_t& column, const auto& words) {
    std::size_t longest = 0;
    for (const CheckCase* one : cases)
      longest = std::max(longest, width_of(printable(words(*one))));
    column = std::max(least, longest - std::min(longest, widest_line(text) - width));
    return fits();
  };
  const auto title = [](const CheckCase& one) { return title_of(one); };
  const auto where = [](const CheckCase& one) { return one.where; };
  if (fits() || narrowed(room.title, title) || narrowed(room.where, where))
    return text;
  room = {.whole = false};
  if (!fits() && !narrowed(room.title, title))
    narrowed(room.where, where);
  return text;
}

// ---- JSON

Json time_json(const PairedTime& time) {
  const auto end = [&](double value) { return time.interval_known() ? Json(value) : Json(); };
  return {{"old_ms", time.old_ms},     {"new_ms", time.new_ms},  {"ratio", time.ratio},
          {"low", end(time.low)},      {"high", end(time.high)}, {"pairs", time.pairs},
          {"processes", time.workers}, {"ratios", time.ratios}};
}

Json objective_json(const GuardedObjective& one) {
  return {{"name", one.name},
          {"unit", one.unit},
          {"old", or_null(one.before)},
          {"new", or_null(one.now)},
          {"share_lost", or_null(one.share_lost)},
          {"worse", one.worse},
          {"not_judged_because", or_null(one.reason)}};
}

Json case_json(const CheckCase& one, const fs::path& root) {
  Json json = {{"kernel", one.kernel},
               {"problem", one.problem},
               {"on", one.where},
               {"configuration", one.configuration},
               {"file", path_from(one.file, root)},
               {"line", one.line},
               {"verdict", to_text(one.verdict)},
               {"reason", one.reason},
               {"weaker", one.weaker},
               {"changes", one.changes},
               {"seconds", one.seconds}};
  json["time"] = one.time ? time_json(*one.time) : Json();
  json["objective"] = one.objective ? objective_json(*one.objective) : Json();
  return json;
}

std::string json_report(const CheckResult& result, const fs::path& root) {
  Json cases = Json::array();
  for (const CheckCase& one : result.cases)
    cases.push_back(case_json(one, root));
  const Json json = {{"format", "gridsmith check"},
                     {"version", std::string(version())},
                     {"gate", to_text(result.gate())},
                     {"headline", headline(result)},
                     {"how", result.how},
                     {"baseline", result.baseline},
                     {"date", result.date},
                     {"least_effect", result.least_effect},
                     {"strict", result.rules.strict},
                     {"allow_missing", result.rules.allow_missing},
                     {"interrupted", result.interrupted},
                     {"notes", result.notes},
                     {"kernels", std::move(cases)}};
  return json_text(json, 2) + "\n";
}

// ---- JUnit

/// Text of an element or of an attribute: what XML 1.0 has no character for is left out.
std::string xml_text(const std::string& text) {
  std::string escaped;
  for (const char c : printable(text)) {
    switch (c) {
    case '&':
      escaped += "&amp;";
      break;
    case '<':
      escaped += "&lt;";
      break;
    case '>':
      escaped += "&gt;";
      break;
    case '"':
      escaped += "&quot;";
      break;
    default:
      escaped += c;
    }
  }
  return escaped;
}

std::string figures_text(const PairedTime& time) {
  return fmt::format(
      "old_ms={} new_ms={} ratio={:.5f}{} pairs={}", time.old_ms, time.new_ms, time.ratio,
      time.interval_known() ? fmt::format(" low={:.5f} high={:.5f}", time.low, time.high) : "",
      time.pairs);
}

/// What fails the gate is a failure, or an error where the code does not work; what could not be judged
/// is skipped where that is allowed, and fails else. Figures are the case's output, as the schemas have
/// no properties of a case.
std::string junit_case(const CheckCase& one, const CheckResult& result) {
  std::string inner;
  const std::string message = xml_text(message_of(one));
  const bool unjudged =
      one.verdict == CheckVerdict::missing || one.verdict == CheckVerdict::incomparable;
  if (one.verdict == CheckVerdict::wrong)
    inner = fmt::format("   <error message=\"{}\" type=\"wrong\"/>\n", message);
  else if (fails(one.verdict, result.rules) || (unjudged && !result.rules.allow_missing))
    inner =
        fmt::format("   <failure message=\"{}\" type=\"{}\"/>\n", message, to_text(one.verdict));
  else if (unjudged || one.verdict == CheckVerdict::undecided)
    inner = fmt::format("   <skipped>{}</skipped>\n", message);
  std::string figures = message;
  if (one.time)
    figures += "\n" + figures_text(*one.time);
  inner += fmt::format("   <system-out>{}</system-out>\n", figures);
  return fmt::format("  <testcase classname=\"{}\" name=\"{}\" time=\"{:.3f}\">\n{}  </testcase>\n",
                     xml_text(one.kernel),
                     xml_text(title_of(one) + (one.where.empty() ? "" : " on " + one.where)),
                     one.seconds, inner);
}

std::string junit_report(const CheckResult& result, const fs::path&) {
  std::size_t failures = 0, errors = 0, skipped = 0;
  double seconds = 0;
  std::string cases;
  for (const CheckCase& one : result.cases) {
    const std::string text = junit_case(one, result);
    failures += text.find("<failure") != std::string::npos ? 1 : 0;
    errors += text.find("<error") != std::string::npos ? 1 : 0;
    skipped += text.find("<skipped") != std::string::npos ? 1 : 0;
    seconds += one.seconds;
    cases += text;
  }
  const std::string properties =
      fmt::format("  <properties>\n   <property name=\"how\" value=\"{}\"/>\n   <property "
                  "name=\"baseline\" value=\"{}\"/>\n   <property name=\"gate\" value=\"{}\"/>\n  "
                  "</properties>\n",
                  xml_text(result.how), xml_text(result.baseline), to_text(result.gate()));
  return fmt::format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n <testsuite name=\"gridsmith "
      "check\" tests=\"{}\" failures=\"{}\" errors=\"{}\" skipped=\"{}\" time=\"{:.3f}\" "
      "timestamp=\"{}\">\n{}{} </testsuite>\n</testsuites>\n",
      result.cases.size(), failures, errors, skipped, seconds, xml_text(result.date.substr(0, 19)),
      properties, cases);
}

// ---- SARIF 2.1.0

std::string rule_text(CheckVerdict verdict) {
  switch (verdict) {
  case CheckVerdict::same:
    return "The kernel takes as long as before";
  case CheckVerdict::faster:
    return "The kernel is faster than before";
  case CheckVerdict::slower:
    return "The kernel is slower than before";
  case CheckVerdict::worse:
    return "What the kernel was tuned by, other than its time, is worse than before";
  case CheckVerdict::undecided:
    return "Undecided whether the kernel is slower";
  case CheckVerdict::changed:
    return "An exact fact of the kernel is worse than before";
  case CheckVerdict::different:
    return "The code of the kernel has changed";
  case CheckVerdict::incomparable:
    return "The kernel could not be compared";
  case CheckVerdict::missing:
    return "There is nothing to compare the kernel with";
  case CheckVerdict::wrong:
    return "The kernel fails or its result is wrong";
  }
  return ""; // a switch over all: a new one is a warning here
}

std::string level_of(const CheckCase& one, const CheckResult& result) {
  if (fails(one.verdict, result.rules))
    return "error";
  return one.verdict == CheckVerdict::same || one.verdict == CheckVerdict::faster ||
                 one.verdict == CheckVerdict::different
             ? "note"
             : "warning";
}

Json sarif_result(const CheckCase& one, const CheckResult& result, const fs::path& root) {
  Json json = {{"ruleId", to_text(one.verdict)},
               {"level", level_of(one, result)},
               {"message", {{"text", message_of(one)}}}};
  if (const std::string file = path_from(one.file, root); !file.empty()) {
    Json place;
    place["physicalLocation"] = {{"artifactLocation", {{"uri", file}}},
                                 {"region", {{"startLine", std::max(1, one.line)}}}};
    json["locations"] = Json::array({std::move(place)});
  }
  json["partialFingerprints"] = {
      {"gridsmithCase/v1", fmt::format("{}/{}/{}", one.kernel, one.problem, one.where)}};
  return json;
}

std::string sarif_report(const CheckResult& result, const fs::path& root) {
  Json rules = Json::array(), results = Json::array();
  for (std::size_t i = 0; i < Words<CheckVerdict>::list.size(); ++i)
    rules.push_back({{"id", Words<CheckVerdict>::list[i]},
                     {"shortDescription", {{"text", rule_text(static_cast<CheckVerdict>(i))}}}});
  for (const CheckCase& one : result.cases)
    if (one.verdict != CheckVerdict::same && one.verdict != CheckVerdict::faster)
      results.push_back(sarif_result(one, result, root));
  Json run;
  run["tool"]["driver"] = {
      {"name", "gridsmith"}, {"version", std::string(version())}, {"rules", std::move(rules)}};
  run["results"] = std::move(results);
  Json json = {{"$schema", "https://json.schemastore.org/sarif-2.1.0.json"}, {"version", "2.1.0"}};
  json["runs"] = Json::array({std::move(run)});
  return json_text(json, 2) + "\n";
}

// ---- GitHub and GitLab

/// Of a workflow command: a line break would end it, commas and colons its properties; and it is read in a
/// terminal's log.
std::string github_text(const std::string& text, bool property) {
  std::string escaped;
  for (const char c : printable_lines(text)) {
    const bool special = c == '%' || c == '\r' || c == '\n' || (property && (c == ':' || c == ','));
    escaped += special
                   ? fmt::format("%{:02X}", static_cast<unsigned>(static_cast<unsigned char>(c)))
                   : std::string(1, c);
  }
  return escaped;
}

std::string github_report(const CheckResult& result, const fs::path& root) {
  std::string text;
  for (const CheckCase& one : result.cases) {
    const std::string level = level_of(one, result);
    if (level == "note")
      continue;
    text += fmt::format("::{} ", level);
    if (const std::string file = path_from(one.file, root); !file.empty())
      text += fmt::format("file={},line={},", github_text(file, true), std::max(1, one.line));
    text +=
        fmt::format("title={}::{}\n",
                    github_text(fmt::format("{} {}", title_of(one), to_text(one.verdict)), true),
                    github_text(message_of(one), false));
  }
  return text;
}

/// A cell of a Markdown table.
std::string cell(const std::string& text) {
  std::string escaped;
  for (const char c : printable(text))
    escaped += std::string_view("|<>&`*_[]\\").find(c) != std::string_view::npos
                   ? std::string("\\") + c
                   : std::string(1, c);
  return escaped;
}

/// "4 kernels", "4 cases of 2 kernels": sizes and architectures of one are cases.
std::string cases_text(const CheckResult& result) {
  std::set<std::string> kernels;
  for (const CheckCase& one : result.cases)
    kernels.insert(one.kernel);
  const std::string text = counted(kernels.size(), "kernel");
  return kernels.size() == result.cases.size()
             ? text
             : fmt::format("{} of {}", counted(result.cases.size(), "case"), text);
}

std::string markdown_report(const CheckResult& result, const fs::path&) {
  std::string text = fmt::format("### {}\n\n{}, compared with {}.\n\n", cell(headline(result)),
                                 cell(result.how), cell(result.baseline));
  const bool timed = any_timed(result), several = on_several(result);
  text += timed ? "| verdict | kernel | old ms | new ms | change % | from | to | why |\n"
                  "|---|---|---:|---:|---:|---:|---:|---|\n"
                : "| verdict | kernel | why |\n|---|---|---|\n";
  for (const CheckCase& one : result.cases) {
    std::string why = one.reason;
    if (one.objective)
      why += (why.empty() ? "" : "; ") + to_text(*one.objective);
    for (const std::string& change : one.changes)
      why += (why.empty() ? "" : "; ") + change;
    const auto& time = one.time;
    const std::string title = cell(place_of(one, several));
    if (!timed) {
      text += fmt::format("| {} | {} | {} |\n", to_text(one.verdict), title, cell(why));
      continue;
    }
    text +=
        fmt::format("| {} | {} | {} | {} | {} | {} | {} | {} |\n", to_text(one.verdict), title,
                    time ? number_text(time->old_ms) : "", time ? number_text(time->new_ms) : "",
                    time ? change_text(time->ratio) : "", time ? change_text(time->low) : "",
                    time ? change_text(time->high) : "", cell(why));
  }
  for (const std::string& note : result.notes)
    text += "\n" + cell(note) + "\n";
  return text;
}

/// OpenMetrics text, which GitLab shows beside a merge request as artifacts:reports:metrics.
std::string gitlab_report(const CheckResult& result, const fs::path&) {
  const auto label = [](const std::string& text) {
    std::string escaped;
    for (const char c : printable(text))
      escaped += c == '"' || c == '\\' ? std::string("\\") + c : std::string(1, c);
    return escaped;
  };
  std::string text;
  for (const CheckCase& one : result.cases) {
    const std::string labels = fmt::format("{{kernel=\"{}\",problem=\"{}\",on=\"{}\"}}",
                                           label(one.kernel), label(one.problem), label(one.where));
    if (one.time) {
      text += fmt::format("gridsmith_time_ms{} {}\n", labels, one.time->new_ms);
      text += fmt::format("gridsmith_ratio{} {:.5f}\n", labels, one.time->ratio);
    }
    text += fmt::format("gridsmith_fails{} {}\n", labels, fails(one.verdict, result.rules) ? 1 : 0);
  }
  return text + "# EOF\n";
}

} // namespace

std::string headline(const CheckResult& result) {
  const auto counts = counts_of(result);
  std::vector<std::string> parts;
  for (const CheckVerdict verdict : by_weight)
    if (const auto found = counts.find(verdict); found != counts.end())
      parts.push_back(fmt::format("{} {}", found->second, to_text(verdict)));
  std::string text = fmt::format("{}: {} of {}", to_text(result.gate()),
                                 parts.empty() ? "0" : fmt::format("{}", fmt::join(parts, ", ")),
                                 cases_text(result));
  const auto worst = std::find_if(result.cases.begin(), result.cases.end(), [&](const auto& one) {
    return fails(one.verdict, result.rules);
  });
  if (worst != result.cases.end())
    text += fmt::format(" ({}{})", place_of(*worst, on_several(result)),
                        worst->verdict == CheckVerdict::worse && worst->objective
                            ? ", " + worst->objective->name
                        : worst->time ? " " + change_text(worst->time->ratio) + " %"
                                      : "");
  return printable(text);
}

std::string check_text(const CheckResult& result, std::size_t width) {
  std::vector<const CheckCase*> usual, brief;
  for (const CheckCase& one : result.cases)
    (is_short(one) ? brief : usual).push_back(&one);
  std::string text =
      wrapped(headline(result), width, 2) + "\n" +
      wrapped(printable(fmt::format("{}, compared with {}", result.how, result.baseline)), width,
              2) +
      "\n\n";
  if (!usual.empty())
    text += table_text(usual, width);
  if (!brief.empty())
    text += fmt::format("{}Under {:g} us, where samples spread by some percent:\n{}",
                        usual.empty() ? "" : "\n", 1000 * short_ms, table_text(brief, width));
  std::string why;
  for (const CheckCase& one : result.cases)
    if (one.verdict != CheckVerdict::same || !one.changes.empty() || one.weaker || one.objective)
      why += wrapped(message_of(one, on_several(result)), width, 2) + "\n";
  for (const std::string& note : result.notes)
    why += wrapped(printable(note), width, 2) + "\n";
  return text + (why.empty() ? "" : "\n" + why);
}

const std::vector<ReportFormat>& report_formats() {
  static const std::vector<ReportFormat> formats{
      {"json", "everything, for scripts", json_report},
      {"junit", "JUnit XML: a case for each kernel and size", junit_report},
      {"sarif", "SARIF 2.1.0, located at the kernels' lines", sarif_report},
      {"github", "annotations for the log of a GitHub workflow", github_report},
      {"markdown", "a table for $GITHUB_STEP_SUMMARY or a comment", markdown_report},
      {"gitlab", "metrics for artifacts:reports:metrics of a GitLab job", gitlab_report},
  };
  return formats;
}

const ReportFormat& report_format(std::string_view name) {
  return entry_named(name, report_formats(), "report");
}

} // namespace gridsmith
