// SPDX-License-Identifier: Apache-2.0
// The verdicts on recorded launches whose cause of slowness is known: the planted bottlenecks
// (tests/planted), counted on a real device.
#include "gridsmith/base/text_table.hpp"
#include "gridsmith/metrics/analysis/verdict.hpp"
#include "gridsmith/results/measurement/derived.hpp"
#include "gridsmith/results/readers/read_recording.hpp"
#include "gridsmith/tests/catch.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>

namespace fs = std::filesystem;
using namespace gridsmith;

namespace {

const fs::path planted = fs::path(GRIDSMITH_SOURCE_DIR) / "tests/planted";

const Measurement* find(const Recording& recording, const nlohmann::json& configuration) {
  for (const Measurement& one : recording.measurements) {
    bool same = true;
    for (const auto& [name, value] : configuration.items())
      for (const auto& [parameter, held] : one.configuration)
        same = same && (parameter != name || to_number(held) == value.get<double>());
    if (same)
      return &one;
  }
  return nullptr;
}

Verdict verdict_of(const Recording& recording, const Measurement& measurement) {
  return judge(launch_facts(measurement, recording.device, recording.peaks, recording.workload));
}

/// What it rests on is enough to say it: with all else not counted the same cause is found, in the same words.
void check_evidence(const Recording& recording, Measurement measurement, const Finding& told) {
  CounterValues kept;
  const auto keep = [&](std::string_view name) {
    const Counter* counter = find_counter(name);
    REQUIRE(counter);
    for (const auto& [cupti, value] : measurement.counters)
      if (cupti == counter->cupti || cupti == counter->on_gb20x)
        kept.emplace(cupti, value);
  };
  for (const std::string& name : told.evidence)
    if (find_counter(name))
      keep(name);
    else
      for (const std::string_view part : counters_of(*find_metric(name)))
        keep(part);
  measurement.counters = std::move(kept);
  const Verdict again = verdict_of(recording, measurement);
  const auto found = std::find_if(again.findings.begin(), again.findings.end(),
                                  [&](const Finding& one) { return one.what == told.what; });
  INFO(told.what);
  CHECK(found != again.findings.end());
}

struct Tally {
  int cases = 0, right = 0, unknown = 0, accused = 0, gains = 0, estimated = 0;
};

/// Whether two factors are within 1.5 of one another.
bool near(double a, double b) {
  return a / b < 1.5 && b / a < 1.5;
}

Tally judge_set(const std::string& set, const std::string& device) {
  Tally tally;
  std::ifstream list(planted / set / "cases.json");
  for (const auto& one : nlohmann::json::parse(list)) {
    const std::string name = fs::path(one["definition"].get<std::string>()).stem().string();
    const Recording recording = read_recording(planted / set / device / (name + ".json.gz"));
    const Measurement* slow = find(recording, one["planted"]);
    REQUIRE(slow);
    const Verdict verdict = verdict_of(recording, *slow);
    const std::string cause = one["cause"];
    const bool named = !verdict.findings.empty();
    if (named)
      check_evidence(recording, *slow, verdict.findings.front());
    const bool right = named && to_text(verdict.findings.front().cause) == cause;
    ++tally.cases;
    tally.right += right;
    tally.unknown += !named;
    std::string line = fmt::format("{:<4} {:<16} {:<24} {}",
                                   right   ? "ok"
                                   : named ? "MISS"
                                           : "none",
                                   name, cause, verdict.headline());
    const Measurement* clean = one["clean"].is_null() ? nullptr : find(recording, one["clean"]);
    if (clean) {
      const double gain = *cost_ms(*slow) / *cost_ms(*clean);
      const auto told = right ? verdict.findings.front().gain : std::nullopt;
      tally.gains += told && near(*told, gain);
      tally.estimated += right;
      line += fmt::format(
          "\n     measured {:.2f}{}", gain,
          told ? fmt::format(", estimated {:.2f} {}", *told, near(*told, gain) ? "" : "FAR") : "");
      const Verdict twin = verdict_of(recording, *clean);
      tally.accused += !twin.findings.empty();
      line += fmt::format("\n     twin{}: {}", twin.findings.empty() ? "" : " ACCUSED",
                          twin.headline());
    }
    if (std::getenv("VERBOSE"))
      for (const auto& finding : verdict.findings)
        line += fmt::format("\n       {} {:.2f}: {}", to_text(finding.cause),
                            finding.gain.value_or(0), finding.what);
    fmt::print("{}\n", line);
  }
  fmt::print(
      "{} on {}: {} of {} causes right, {} not known, {} twins accused, {} of {} gains within "
      "1.5\n",
      set, device, tally.right, tally.cases, tally.unknown, tally.accused, tally.gains,
      tally.estimated);
  return tally;
}

} // namespace

TEST_CASE("planted causes are named first, their gains told, their twins not accused") {
  Tally all;
  for (const char* device : {"NVIDIA_H200", "NVIDIA_H100"})
    for (const char* set : {"first", "second", "third", "fourth", "fifth"}) {
      if (!fs::exists(planted / set / device))
        continue;
      const Tally tally = judge_set(set, device);
      all.cases += tally.cases;
      all.right += tally.right;
      all.accused += tally.accused;
    }
  CHECK(all.cases == 148);
  CHECK(all.right >= 0.95 * all.cases);
  CHECK(all.accused <= 0.03 * all.cases);
}
