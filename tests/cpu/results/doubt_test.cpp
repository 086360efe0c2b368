// SPDX-License-Identifier: Apache-2.0
// A rate that cannot be: who may not win for it, and that no shipped recording has one.
#include "gridsmith/results/formats/answer_json.hpp"
#include "gridsmith/results/formats/read_recording.hpp"
#include "gridsmith/results/measurement/answer.hpp"
#include "gridsmith/results/measurement/finals.hpp"
#include "gridsmith/tests/catch.hpp"
#include "gridsmith/tests/cpu/results/sample.hpp"
#include "gridsmith/tests/shipped_recordings.hpp"

#include <nlohmann/json.hpp>

namespace doubt_test {

using namespace gridsmith;

namespace {

/// What an H200 was measured to reach, beside the copy that recordings have (docs/peaks.md).
const Peaks h200_peaks = {{"l2_read", 7'000, "GB/s", "", "", ""},
                          {"fp32_fma", 60'000, "GFLOP/s", "", "", ""},
                          {"fp16_fma", 110'000, "GFLOP/s", "", "", ""},
                          {"tensor_fp16", 600'000, "GFLOP/s", "", "", ""}};

/// Three configurations of 268 MB on a board of 4000 GB/s; the first two take no time to speak of.
Recording planted() {
  Recording recording = sample_recording();
  recording.device.l2_bytes = 62'914'560;
  recording.peaks = {{"copy", 4'000, "GB/s", "", "", ""}};
  recording.workload.model_bytes = 268'435'456;
  recording.measurements = {sample_measurement(16, false, 0.006),
                            sample_measurement(32, false, 0.0061),
                            sample_measurement(16, true, 0.08)};
  return recording;
}

Export exported(Recording recording) {
  return {std::move(recording), std::nullopt};
}

} // namespace

TEST_CASE("no shipped recording has a rate that cannot be") {
  std::size_t rows = 0;
  for (const auto& file : test::shipped_recordings()) {
    INFO(file.string());
    Recording recording = read_recording(file);
    CHECK(recording.workload.model_bytes > 0);
    CHECK(peak_of(recording.peaks, "copy"));
    recording.peaks = merged(recording.peaks, h200_peaks);
    for (const Measurement& one : recording.measurements) {
      rows += one.correct() ? 1 : 0;
      if (const auto doubt = rate_doubt(one, board_of(recording), recording.workload))
        FAIL_CHECK(to_text(one.configuration) << ": " << to_text(*doubt));
    }
  }
  CHECK(rows > (sanitized() ? 1'000 : 10'000));
}

TEST_CASE("what is in doubt wins only where it was compared after it was timed") {
  Recording recording = planted();
  CHECK(best_of(exported(recording)).configuration == recording.measurements[2].configuration);
  const auto before = answer_json(exported(recording));
  CHECK(before["ranking"].size() == 3); // behind, not gone
  CHECK(before["best"]["doubt"].is_null());
  CHECK(before["ranking"][1]["doubt"]["peak"] == "copy");
  CHECK(before["ranking"][1]["doubt"]["reached"] == 4'000);
  CHECK(before["confirmed"].is_null());
  recording.measurements[0].compared_after = true;
  const auto after = answer_json(exported(recording));
  CHECK(after["best"]["compared_after"] == true);
  CHECK(after["best"]["doubt"]["rate"].get<double>() == Approx(44'739).epsilon(0.001));
  CHECK_THAT(text_as("csv", recording), contains_text("by the work model, where copy was"));
}

TEST_CASE("where every rate is in doubt nobody wins, and a header is refused") {
  Recording recording = planted();
  recording.measurements.pop_back();
  const Export held = exported(recording);
  CHECK_FALSE(has_best(held));
  const auto json = answer_json(held);
  CHECK(json["confirmed"] == false);
  CHECK(json["best"].is_null());
  CHECK(json["ranking"].size() == 2);
  CHECK_THAT(message_of([&] { text_as("header", recording); }),
             contains_text("44739 GB/s by the work model, where copy was measured to reach 4000 "
                           "GB/s, and its outputs were not compared after timing"));
  recording.peaks.clear(); // no peak, no doubt
  CHECK(has_best(exported(recording)));
}

TEST_CASE("an answer of before that such a rate won is not repeated") {
  const Recording recording = planted();
  Export held = exported(recording);
  held.answer = Answer{"2026-11-21T08:00:00Z", rank(recording.measurements), {}};
  held.answer->found_by.workload = recording.workload;
  held.answer->found_by.measured_again = true;
  CHECK(best_of(held).configuration == recording.measurements[2].configuration);
  CHECK(answer_json(held)["confirmed"] == true);
}

TEST_CASE("finalists are those who may win, and as many who may only if they are compared") {
  const Recording recording = planted();
  const auto chosen = finalists(recording.measurements, {}, objectives().front(),
                                recording.workload, board_of(recording));
  REQUIRE(chosen.size() == 3);
  CHECK(chosen.front() == &recording.measurements[2]);
  std::vector<Measurement> pruned = recording.measurements;
  for (Measurement& one : pruned)
    one.pruned_early = true;
  CHECK(finalists(pruned).size() == 2); // there are no others
}

TEST_CASE("a failed final is what became of its configuration and of those of its code") {
  std::vector<Measurement> rows = planted().measurements;
  rows[1].same_code_as = to_text(rows[0].configuration);
  Measurement final = rows[0];
  final.mode = Mode::final;
  final.status = Status::correctness;
  final.reason = "element 3";
  final.times_ms.clear();
  CHECK(settle(rows, {&final, 1}).empty()); // of before
  CHECK(rows[0].correct());
  mark_failed_final(final);
  mark_failed_final(final);
  const auto shared = settle(rows, {&final, 1});
  REQUIRE(shared.size() == 1);
  CHECK(shared.front().configuration == rows[1].configuration);
  CHECK(rows[0].reason == "measured again: element 3");
  CHECK(rows[1].same_code_as == to_text(rows[0].configuration));
  CHECK(rows[1].status == Status::correctness);
  CHECK(rows[2].correct());
}

} // namespace doubt_test
