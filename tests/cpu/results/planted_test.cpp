// SPDX-License-Identifier: Apache-2.0
// The verdicts on recorded launches whose cause of slowness is known: the planted bottlenecks
// (tests/planted), counted on a real device. Without machine code; bench_why has it too.
#include "gridsmith/results/measurement/derived.hpp"
#include "gridsmith/tests/catch.hpp"
#include "gridsmith/tests/planted_sets.hpp"

#include <algorithm>
#include <filesystem>

namespace planted_test {

namespace fs = std::filesystem;
using namespace gridsmith;

namespace {

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
  const Verdict again =
      judge(launch_facts(measurement, recording.device, recording.peaks, recording.workload));
  const auto found = std::find_if(again.findings.begin(), again.findings.end(),
                                  [&](const Finding& one) { return one.what == told.what; });
  INFO(told.what);
  CHECK(found != again.findings.end());
}

} // namespace

TEST_CASE("a cause that grows is named, and its gain grows with it") {
  test::Tally tally;
  for (const test::JudgedCase& one : test::judged("series", "NVIDIA_H200"))
    tally.add(one);
  fmt::print("series: {}\n", tally.text());
  CHECK(tally.cases >= 50);
  CHECK(tally.right >= 0.8 * tally.cases);
  CHECK(tally.near >= 0.8 * tally.estimated);
  CHECK(tally.covered >= 0.8 * tally.estimated);
}

TEST_CASE("planted causes are named first, their gains told, their twins not accused") {
  test::Tally all;
  for (const char* device : {"NVIDIA_H200", "NVIDIA_H100"})
    for (const char* set : {"first", "second", "third", "fourth", "fifth", "sixth", "seventh"}) {
      if (!fs::exists(test::planted_folder / set / device))
        continue;
      test::Tally tally;
      for (const test::JudgedCase& one : test::judged(set, device)) {
        if (!one.verdict.findings.empty())
          check_evidence(one.recording, one.slow, one.verdict.findings.front());
        for (test::Tally* to : {&tally, &all})
          to->add(one);
      }
      fmt::print("{} on {}: {}\n", set, device, tally.text());
    }
  CHECK(all.cases >= 148);
  CHECK(all.right >= 0.9 * all.cases);
  CHECK(all.accused <= 0.07 * all.clean);
  CHECK(all.near >= 0.8 * all.estimated);
  CHECK(all.covered >= 0.85 * all.estimated);
}

} // namespace planted_test
