// SPDX-License-Identifier: Apache-2.0
// Verdicts as they would be of what was recorded: each kernel's fastest configurations as the candidate, its slowest
// as the incumbent, at all sizes that the catalogue has recordings of.
#include "gridsmith/results/check/counter_change.hpp"
#include "gridsmith/results/explanation/explanation.hpp"
#include "gridsmith/results/formats/read_recording.hpp"
#include "gridsmith/results/judge/candidate_verdict.hpp"
#include "gridsmith/tests/catch.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <map>

namespace recorded_verdicts_test {

using namespace gridsmith;
namespace fs = std::filesystem;

namespace {

CheckCase recorded(const Recording& recording) {
  std::vector<const Measurement*> correct;
  for (const Measurement& one : recording.measurements)
    if (one.status == Status::correct && !one.times_ms.empty())
      correct.push_back(&one);
  REQUIRE_FALSE(correct.empty());
  const auto [fastest, slowest] = std::minmax_element(
      correct.begin(), correct.end(), [](const Measurement* a, const Measurement* b) {
        return a->times_ms.front() < b->times_ms.front();
      });
  CheckCase one;
  one.kernel = recording.kernel;
  one.problem = recording.problem;
  one.verdict = CheckVerdict::faster;
  const double before = (*slowest)->times_ms.front(), now = (*fastest)->times_ms.front();
  one.time = PairedTime{.old_ms = before,
                        .new_ms = now,
                        .ratio = now / before,
                        .low = now / before * 0.999,
                        .high = now / before * 1.001};
  for (const CounterChange& change : counter_changes((*slowest)->counters, (*fastest)->counters))
    one.changes.push_back(to_text(change));
  const LaunchExplanation why = explain(recording, **fastest);
  if (const auto& findings = why.verdict.findings; !findings.empty())
    one.helps = plain_words(findings.front().cause) + ": " + gain_text(findings.front());
  return one;
}

} // namespace

TEST_CASE("a verdict on what was recorded fits, and has all that it was made of") {
  std::map<std::string, CandidateVerdict> verdicts; // by kernel
  for (const fs::directory_entry& file :
       fs::recursive_directory_iterator(GRIDSMITH_SOURCE_DIR "/kernels/catalogue"))
    if (file.path().extension() == ".gz") {
      const Recording recording = read_recording(file.path());
      CandidateVerdict& verdict = verdicts[file.path().parent_path().parent_path().string()];
      verdict.kernel = recording.kernel;
      verdict.device = recording.device.name;
      verdict.date = recording.date;
      verdict.sizes.push_back(recorded(recording));
    }
  REQUIRE(verdicts.size() >= 40);
  std::size_t longest = 0;
  for (auto& [folder, verdict] : verdicts) {
    INFO(folder);
    verdict.incumbent = folder + "/" + verdict.kernel + ".cu";
    verdict.candidate = "candidates/" + verdict.kernel + ".cu";
    verdict.candidate_hash = std::string(64, 'a');
    verdict.kept_in = "evidence.json";
    verdict.seconds = 3.25;
    verdict.gates = {{JudgeGate::compiles, GateState::passed, "compiled", ""},
                     {JudgeGate::right, GateState::passed, "right", ""},
                     {JudgeGate::clean, GateState::passed, "clean", ""},
                     {JudgeGate::possible, GateState::passed, "possible", ""},
                     faster_gate(verdict.sizes, 0.02)};
    const std::string text = candidate_verdict_json(verdict);
    longest = std::max(longest, text.size());
    CHECK(text.size() <= longest_candidate_verdict);
    const auto json = nlohmann::json::parse(text);
    CHECK(json.at("ruling") == "accepted");
    CHECK(json.at("sizes").size() + json.value("more_sizes", 0u) == verdict.sizes.size());
    CHECK(json.at("sizes").size() >= std::min<std::size_t>(verdict.sizes.size(), 4));
    CHECK(json.at("kernel") == verdict.kernel);
    CHECK_THAT(candidate_verdict_page(verdict), contains_text(verdict.sizes.back().problem));
  }
  INFO(longest);
  CHECK(longest > longest_candidate_verdict / 2); // some are long enough to tell
}

} // namespace recorded_verdicts_test
