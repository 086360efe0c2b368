// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/tuner/presentation/explanation_text.hpp"

#include "gridsmith/base/json_fields.hpp"
#include "gridsmith/base/json_text.hpp"
#include "gridsmith/base/number_text.hpp"
#include "gridsmith/base/safe_text.hpp"
#include "gridsmith/base/text_layout.hpp"
#include "gridsmith/base/text_table.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace gridsmith {
namespace {

using Ordered = nlohmann::ordered_json;

constexpr std::size_t places_shown = 3;

/// " (transpose.cu:41, tile.h:7 and 2 more)"; "" where no line is known.
std::string places_text(const std::vector<LineCount>& places) {
  std::vector<std::string> names;
  names.reserve(places.size());
  for (const LineCount& one : places)
    names.push_back(printable(one.place));
  return names.empty() ? "" : fmt::format(" ({})", some_of(names, places_shown));
}

std::string findings_text(const LaunchExplanation& explanation, std::size_t width) {
  const Verdict& verdict = explanation.verdict;
  if (verdict.findings.empty() && verdict.bound == Bound::unknown)
    return "";
  std::string text;
  if (verdict.clean())
    text = wrapped(fmt::format(
                       "  No cause stands out: no known remedy would make it {:g} times as fast.",
                       worth_a_change),
                   width, 2) +
           '\n';
  for (std::size_t i = 0; i < verdict.findings.size(); ++i) {
    const Finding& one = verdict.findings[i];
    text += wrapped(fmt::format("  {}. {}: {}{}", i + 1, plain_words(one.cause), one.what,
                                places_text(one.places)),
                    width, 5) +
            '\n';
    text += wrapped(fmt::format("     {}; {}", gain_text(one), one.remedy), width, 5) + '\n';
    if (one.cause == Cause::memory_latency && explanation.little)
      text += wrapped("     " + describe(*explanation.little), width, 5) + '\n';
  }
  return text;
}

using Percents = std::vector<std::pair<std::string, double>>;

std::string percents_text(const std::string& title, const Percents& percents, std::size_t width) {
  if (percents.empty())
    return "";
  std::string text = title;
  for (std::size_t i = 0; i < percents.size(); ++i)
    text += fmt::format("{} {} {:.0f} %", i == 0 ? "" : ",", percents[i].first, percents[i].second);
  return wrapped(text, width, 2) + '\n';
}

std::string roofline_text(const Roofline& roofline, std::size_t width) {
  if (roofline.ceilings.empty())
    return "";
  Table table({{"limit", "", true},
               {"reached", ""},
               {"peak", ""},
               {"", "", true},
               {"of peak", "%"},
               {"", "", true}});
  constexpr double next_to_nothing = 0.005; // a few operations are no work on reals
  for (const Ceiling& one : roofline.ceilings) {
    if (one.unit == "GFLOP/s" && one.fraction < next_to_nothing)
      continue;
    const auto [divisor, unit] = scale_of(one.peak, one.unit);
    table.add({std::string(one.name), number_text(one.achieved / divisor),
               number_text(one.peak / divisor), unit, fmt::format("{:.0f}", 100 * one.fraction),
               std::string(one.measured ? "measured" : "data sheet") +
                   (one.fraction > 1.005 ? ", exceeded" : "")});
  }
  return table.text(width);
}

Ordered little_json(const BytesInFlight& bytes) {
  const auto known = [](const Known& one) {
    return Ordered{{"value", one.value}, {"measured", one.measured}};
  };
  return {{"latency_ns", known(bytes.latency_ns)},
          {"gb_per_s", known(bytes.gb_per_s)},
          {"warps_per_sm", bytes.warps},
          {"warps_counted", bytes.warps_counted},
          {"most_warps_per_sm", bytes.most_warps},
          {"loads_per_thread", bytes.loads},
          {"bytes_per_load", bytes.bytes_each},
          {"needed_bytes_per_sm", bytes.needed},
          {"achieved_bytes_per_sm", bytes.achieved},
          {"warps_needed", bytes.warps_needed()},
          {"loads_needed", bytes.loads_needed()}};
}

} // namespace

std::string explanation_text(const LaunchExplanation& explanation, std::size_t width) {
  std::string text = wrapped("It is " + explanation.verdict.bound_text + ".", width, 2) + "\n";
  text += findings_text(explanation, width) + "\n";
  for (const std::string& line : explanation.traffic)
    text += wrapped("  " + line, width, 4) + '\n';
  text += percents_text("  busy, in percent of the highest rate measured, or else of the peak:",
                        explanation.busy, width);
  text += percents_text("  warps wait for:", explanation.waits, width);
  if (const std::string table = roofline_text(explanation.roofline, width); !table.empty())
    text += '\n' + table;
  return text;
}

std::string winner_text(const Winner& winner, const Verdict& verdict, std::size_t width) {
  std::string text;
  const auto add = [&](std::string title, const std::vector<std::string>& sentences) {
    for (const std::string& one : sentences) {
      text += wrapped(printable(title + one), width, 4) + '\n';
      title = "  ";
    }
  };
  add("Why it won: ", describe(winner));
  add("Next to try: ", next_steps(winner, verdict));
  return text;
}

Ordered explanation_json(const LaunchExplanation& explanation) {
  Ordered json;
  json["configuration"] = object_of(explanation.configuration);
  json["time_ms"] = or_null(explanation.time_ms);
  json["bound"] = to_text(explanation.verdict.bound);
  json["bound_text"] = explanation.verdict.bound_text;
  json["findings"] = Ordered::array();
  for (const Finding& one : explanation.verdict.findings)
    json["findings"].push_back(finding_json(one));
  json["little"] = explanation.little ? little_json(*explanation.little) : Ordered(nullptr);
  json["traffic"] = explanation.traffic;
  json["busy_percent"] = Ordered::object();
  for (const auto& [name, percent] : explanation.busy)
    json["busy_percent"][name] = percent;
  json["waits_percent"] = Ordered::object();
  for (const auto& [name, percent] : explanation.waits)
    json["waits_percent"][name] = percent;
  json["ceilings"] = Ordered::array();
  for (const Ceiling& one : explanation.roofline.ceilings)
    json["ceilings"].push_back({{"limit", one.name},
                                {"achieved", one.achieved},
                                {"peak", one.peak},
                                {"unit", one.unit},
                                {"measured", one.measured}});
  return json;
}

} // namespace gridsmith
