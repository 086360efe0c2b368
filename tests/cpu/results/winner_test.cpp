// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/results/explanation/winner.hpp"
#include "gridsmith/tests/catch.hpp"
#include "gridsmith/tests/cpu/results/sample.hpp"
#include "gridsmith/tests/files.hpp"

#include <nlohmann/json.hpp>

#include <cstdlib>
#include <filesystem>
#include <set>
#include <string>

namespace winner_test {

using namespace gridsmith;

namespace {

/// Every combination of TILE, PAD and ORDER; threads as THREADS says. Instructions go as 1 / TILE, and so does the time;
/// random order takes 1.5 times as long, and nothing that was counted says why; PAD matters not.
struct Space {
  std::int64_t threads_of_tile = 4;
  std::vector<Value> tiles = {std::int64_t{8}, std::int64_t{16}, std::int64_t{32}};

  Recording recording() const {
    Recording all;
    all.device = sample_device();
    all.device.max_threads_per_block = 1024;
    all.parameters = {{"TILE", tiles},
                      {"PAD", {std::int64_t{0}, std::int64_t{1}}},
                      {"ORDER", {std::string("rows"), std::string("random")}}};
    for (const Value& tile : all.parameters[0].values)
      for (const Value& pad : all.parameters[1].values)
        for (const Value& order : all.parameters[2].values) {
          Measurement row;
          const double size = to_number(tile);
          row.configuration = {{"TILE", tile}, {"PAD", pad}, {"ORDER", order}};
          row.status = Status::correct;
          row.geometry.block[0] = static_cast<int>(size) * static_cast<int>(threads_of_tile);
          const double ms =
              32 / size * (to_text(order) == "random" ? 1.5 : 1) * (to_number(pad) > 0 ? 1.001 : 1);
          row.times_ms = std::vector<double>(8, ms);
          row.counters = {{std::string(find_counter("instructions")->cupti), 32e6 / size}};
          all.measurements.push_back(row);
        }
    return all;
  }
};

Winner won(const Recording& recording) {
  const auto ranking = rank_as_measured(recording.measurements);
  return winner_of(recording, ranking, recording.measurements.front().configuration,
                   influence(recording));
}

/// A measurement of which everything is known, of a kernel that loads and stores in the plain way.
Measurement all_known() {
  Measurement one = sample_measurement(16, false, 1);
  double value = 1000;
  for (const Counter& counter : counter_catalogue())
    one.counters[std::string(counter.cupti)] = value += 7;
  for (const Metric& metric : metric_catalogue())
    for (const std::string& name : metric.bypasses)
      if (const Counter* counter = find_counter(name))
        one.counters[std::string(counter->cupti)] = 0;
  return one;
}

/// Whether it is one where there is so much less of it, or more.
bool may_be_reason(const Quantity& quantity) {
  for (const double to : {1, 100}) {
    Contrast contrast;
    contrast.from_ms = 2;
    contrast.to_ms = 1;
    contrast.told_apart = true;
    contrast.differences.push_back({quantity, 10, to, std::nullopt, std::nullopt});
    if (!quantity.of_time && !reasons(contrast, 1).empty())
      return true;
  }
  return false;
}

Verdict quiet() {
  Verdict verdict;
  verdict.bound = Bound::latency;
  return verdict;
}

} // namespace

/// A new metric or counter may be the first thing that an answer says: GRIDSMITH_WRITE_GOLDEN=1 accepts it.
TEST_CASE("what may be named as a reason, in the words that people read") {
  const Measurement one = all_known();
  const Measurement* const rows[] = {&one};
  Recording recording;
  recording.device = sample_device();
  recording.device.peak_fp32_gflop_per_s = 66908;
  recording.workload = {1e6, 1e6};
  recording.peaks = {{"copy", 4000, "GB/s", "", "", ""}};
  std::string words;
  std::set<std::string> known;
  for (const Quantity& quantity : quantities_of(rows, recording)) {
    known.insert(quantity.name);
    if (may_be_reason(quantity))
      words += quantity.words + '\n';
  }
  for (const Metric& metric : metric_catalogue()) {
    INFO(metric.name);
    CHECK(known.contains(metric.name)); // else nothing is tested of it
  }
  const std::filesystem::path golden = GRIDSMITH_SOURCE_DIR "/tests/golden/reasons.txt";
  if (std::getenv("GRIDSMITH_WRITE_GOLDEN"))
    test::write(golden, words);
  CHECK(test::read_file(golden) == words);
}

TEST_CASE("what each value of the best gains, by configurations that differ in it alone") {
  const Winner winner = won(Space().recording());
  CHECK_THAT(winner.against_default, contains_text("4 times as fast as the default: "));
  CHECK_THAT(winner.against_default, contains_text("instructions 4 → 1 million"));
  REQUIRE(winner.parameters.size() == 2);
  const ParameterChoice& tile = winner.parameters[0];
  CHECK(tile.parameter == "TILE");
  REQUIRE(tile.alternatives.size() == 1); // the nearest of the smaller ones; there is none above
  CHECK(to_text(tile.alternatives[0].value) == "16");
  CHECK(tile.alternatives[0].times == Approx(2));
  CHECK(tile.alternatives[0].at_best);
  CHECK(tile.alternatives[0].pairs == 4);
  CHECK(winner.parameters[1].parameter == "ORDER");
  CHECK(winner.parameters[1].alternatives.front().times == Approx(1.5));
  CHECK(winner.no_difference == std::vector<std::string>{"PAD"});
  const std::vector<std::string> lines = describe(winner);
  CHECK(lines[2] == "TILE=32: 2 times as fast as 16: instructions 2 → 1 million.");
  CHECK(lines[3] == "ORDER=rows: 1.50 times as fast as random."); // and no reason is made up
  CHECK(lines[4] == "No other value tried of PAD makes 2 % of a difference.");
}

TEST_CASE("where the best's counterpart was not measured, the other pairs tell") {
  Recording recording = Space().recording();
  std::erase_if(recording.measurements, [](const Measurement& one) {
    return to_text(one.configuration) == "TILE=16 PAD=0 ORDER=rows";
  });
  const Winner winner = won(recording);
  REQUIRE(winner.parameters[0].parameter == "TILE");
  CHECK_FALSE(winner.parameters[0].alternatives[0].at_best);
  CHECK(winner.parameters[0].alternatives[0].pairs == 3);
  CHECK_THAT(describe(winner)[2], contains_text("as fast as 16 in the median of 3 other pairs"));
}

TEST_CASE("a value beyond the space is proposed where the time still falls, and only there") {
  const auto beyond = [](const Space& space) {
    for (const ParameterChoice& choice : won(space.recording()).parameters)
      if (choice.beyond)
        return choice.parameter + "=" + to_text(*choice.beyond);
    return std::string();
  };
  CHECK(beyond({}) == "TILE=64");
  CHECK(beyond({.threads_of_tile = 32}) == ""); // a block of 2048 threads cannot be
  CHECK(beyond({.tiles = {std::int64_t{16}, std::int64_t{24}, std::int64_t{32}}}) == "TILE=40");
  CHECK(beyond({.tiles = {std::int64_t{16}, std::int64_t{32}}}) == ""); // two numbers are no trend
  const Winner winner = won(Space().recording());
  const auto steps = next_steps(winner, quiet());
  REQUIRE(steps.size() == 1);
  CHECK_THAT(steps[0], contains_text("TILE=64, outside the space: 32 is its largest value"));
}

TEST_CASE("what to try next: the greatest cause first; at a limit only less work") {
  const Winner winner = won(Space().recording());
  Verdict verdict = quiet();
  verdict.findings.push_back({Cause::bank_conflicts, "shared memory takes 16 times the passes",
                              "pad rows by one element", Gain{1.5, 2, 3}});
  CHECK(next_steps(winner, verdict).front() ==
        "pad rows by one element (bank conflicts: 1.5 to 3 times as fast without it)");
  verdict.findings.front().gain = Gain{1, 1.2, 1.8}; // small: nothing that is choice a change
  CHECK(next_steps(winner, verdict).size() == 1);
  verdict.bound = Bound::bandwidth;
  verdict.busy = 0.95;
  REQUIRE(next_steps(winner, verdict).size() == 1);
  CHECK_THAT(next_steps(winner, verdict)[0], contains_text("fewer bytes"));
}

TEST_CASE("for scripts the same, with the number of pairs") {
  const auto json = winner_json(won(Space().recording()), quiet());
  const auto& tile = json["parameters"][0];
  CHECK(tile["parameter"] == "TILE");
  CHECK(tile["value"] == 32);
  CHECK(tile["beyond"] == 64);
  CHECK(tile["against"][0]["times_as_fast"] == Approx(2));
  CHECK(tile["against"][0]["pairs"] == 4);
  CHECK(json["no_difference"] == nlohmann::json{"PAD"});
  CHECK(json["next"].size() == 1);
  CHECK(json["sentences"].size() == 5);
}

TEST_CASE("a winner by another objective is compared by its values; it may take longer") {
  Recording recording = Space().recording();
  for (std::size_t i = 0; i < recording.measurements.size(); ++i)
    recording.measurements[i].counters = {
        {"dram__bytes_read.sum", 1000 - 50 * static_cast<double>(i)}, {"dram__bytes_write.sum", 0}};
  std::swap(recording.measurements.front().counters, recording.measurements.back().counters);
  const Objective by = objective("dram_traffic");
  const auto ranking = rank(recording.measurements, by); // the first, which is the slowest but one
  const auto standard = recording.measurements.back().configuration;
  const Winner winner = winner_of(recording, ranking, standard, influence(recording), by);
  CHECK(winner.against_default ==
        "dram_traffic 450 bytes, of the default 1000; it takes 2.66 times as long.");
  CHECK_THAT(winner.against_next, contains_text("dram_traffic 450 bytes, of the next best 500;"));
  CHECK(winner.parameters.empty());
  CHECK(winner.no_difference.empty());
  const Winner itself = winner_of(recording, ranking, ranking.front().measurement.configuration,
                                  influence(recording), by);
  CHECK(itself.against_default == "It is the default.");
}

} // namespace winner_test
