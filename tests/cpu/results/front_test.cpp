// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/results/formats/formats.hpp"
#include "gridsmith/results/formats/read_recording.hpp"
#include "gridsmith/results/measurement/front.hpp"
#include "gridsmith/tests/catch.hpp"
#include "gridsmith/tests/files.hpp"

#include <nlohmann/json.hpp>

#include <string>
#include <vector>

namespace results_front_test {

using namespace gridsmith;

namespace {

Measurement measured(std::int64_t x, double ms, double bytes) {
  Measurement one;
  one.configuration = {{"X", Value(x)}};
  one.status = Status::correct;
  one.times_ms = {ms, ms, ms};
  one.counters = {{"dram__bytes_read.sum", bytes}, {"dram__bytes_write.sum", 0}};
  return one;
}

std::string names_of(const std::vector<FrontPoint>& front) {
  std::string names;
  for (const FrontPoint& one : front)
    names += to_text(one.measurement->configuration) + (one.knee ? "* " : " ");
  return names;
}

const Objective bytes = objective("dram_traffic");

} // namespace

TEST_CASE("a front is what no other is as good as by both and better by one") {
  std::vector<Measurement> all = {measured(1, 4, 100),   measured(2, 1, 800),
                                  measured(3, 2, 150),   measured(4, 2, 200),
                                  measured(5, 3, 149.9), measured(6, 1.1, 790)};
  CHECK(names_of(front_of(all, objectives().front(), bytes)) == "X=2 X=6 X=3* X=1 ");
  all[2].status = Status::correctness;
  all[3].counters.clear();
  CHECK(names_of(front_of(all, objectives().front(), bytes)) == "X=2 X=6 X=5* X=1 ");
  CHECK(front_of({}, objectives().front(), bytes).empty());
}

TEST_CASE("of an objective of which more is better the largest value comes first") {
  const std::vector<Measurement> all = {measured(1, 1, 100), measured(2, 2, 50)};
  const Objective rate =
      objective("dram_read_gb_per_s_by_time", {.counters = {},
                                               .metrics = {{.name = "dram_read_gb_per_s_by_time",
                                                            .label = "",
                                                            .unit = "",
                                                            .better = Better::higher,
                                                            .formulas = {"dram_read_bytes"},
                                                            .source = ""}}});
  const auto front = front_of(all, rate, objectives().front());
  CHECK(names_of(front) == "X=1 ");
  CHECK(front.front().first == 100);
  CHECK(front.front().second == 1);
}

TEST_CASE("time and energy have intervals, other values none") {
  Measurement one = measured(1, 4, 100);
  one.counters["nvml__launch_energy.mj"] = 5;
  one.counters["nvml__launch_energy_low.mj"] = 4.9;
  one.counters["nvml__launch_energy_high.mj"] = 5.1;
  CHECK(interval_of(objectives().front(), one)->low == 4);
  CHECK(interval_of(objective("energy_mj"), one)->high == 5.1);
  CHECK_FALSE(interval_of(bytes, one));
}

TEST_CASE("energy is an objective of finalists, raced by time; an error is known of each") {
  const Objective energy = objective("energy_mj"), error = objective("rms_error");
  CHECK(energy.in_finals);
  CHECK(raced_by(energy).name == "time");
  CHECK_FALSE(error.in_finals);
  CHECK(raced_by(error).name == "rms_error");
  Measurement exact = measured(1, 4, 100);
  CHECK_FALSE(error.cost(exact));
  exact.counters["result__difference.rms"] = 0;
  CHECK(*error.value(exact, {}) == 0);
  CHECK(*error.cost(exact) > 0); // logarithms are taken of it
}

TEST_CASE("T4 says what the search was for, with its values, and is read back as it was") {
  Recording recording;
  recording.kernel = "k";
  recording.problem = "64";
  recording.parameters = {{.name = "X", .values = {std::int64_t{1}, std::int64_t{2}}}};
  recording.measurements = {measured(1, 4, 100), measured(2, 1, 800)};
  Answer answer;
  answer.found_by.objective = "time";
  answer.found_by.against = "dram_traffic";
  const Export exported{recording, answer};
  const std::string text = export_text(export_format("t4"), {&exported, 1});
  const auto result = nlohmann::json::parse(text).at("results").at(0);
  CHECK(result.at("objectives") == nlohmann::json({"time", "dram_traffic"}));
  CHECK(result.at("measurements").back().at("name") == "dram_traffic");
  CHECK(result.at("measurements").back().at("value") == 100);
  const test::Folder folder;
  test::write(folder / "t4.json", text);
  const Recording back = read_recording(folder / "t4.json");
  REQUIRE(back.measurements.size() == 2);
  CHECK(back.measurements[0].counters == recording.measurements[0].counters);
  CHECK(back.measurements[0].times_ms == recording.measurements[0].times_ms);
}

} // namespace results_front_test
