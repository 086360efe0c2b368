// SPDX-License-Identifier: Apache-2.0
// Who is best, who is tied, who is measured again; objectives, aggregates and conditions.
#include "gridsmith/base/json_fields.hpp"
#include "gridsmith/results/measurement/answer.hpp"
#include "gridsmith/tests/catch.hpp"
#include "gridsmith/tests/cpu/results/sample.hpp"
#include "gridsmith/tests/distinct.hpp"

#include <cmath>

namespace answer_test {

using namespace gridsmith;

namespace {

Measurement timed(std::int64_t tile, std::vector<double> times_ms, double read = 1e6,
                  int registers = 32) {
  Measurement row;
  row.configuration = {{"tile", tile}};
  row.status = Status::correct;
  row.times_ms = std::move(times_ms);
  row.counters = {{"dram__bytes_read.sum", read}, {"dram__bytes_write.sum", 0.0}};
  row.compile_facts = CompileFacts{.registers_per_thread = registers};
  return row;
}

std::int64_t tile(const Measurement& row) {
  return std::get<std::int64_t>(row.configuration.front().second);
}

} // namespace

TEST_CASE("a row has of its final all but what its race alone knows") {
  Measurement final;
  int next = 0;
  test::make_distinct(final, next);
  final.status = Status::correct;
  Measurement raced;
  raced.configuration = final.configuration;
  raced.status = Status::correct;
  const auto rows = as_ranked({raced}, {{.measurement = final, .time = {}}});
  CHECK(test::differing(rows.front(), final) ==
        std::vector<std::string>{"at_s", "compared_after", "compile_facts", "compile_ms",
                                 "conditions", "count_ms", "counted", "counters", "geometry",
                                 "gpu_ms", "mode", "same_code_as", "time_ms", "uncounted_because",
                                 "verification", "verify_ms", "when"});
}

TEST_CASE("finalists are near the best, correct, and were not pruned early") {
  std::vector<Measurement> rows = {timed(1, {1.2}), timed(2, {1.0}), timed(3, {1.04}),
                                   timed(4, {0.9}), timed(5, {0.8})};
  rows[3].pruned_early = true;
  rows[4].status = Status::correctness;
  const auto chosen = finalists(rows, {.most = 5});
  REQUIRE(chosen.size() == 2);
  CHECK(tile(*chosen[0]) == 2);
  CHECK(tile(*chosen[1]) == 3);
  CHECK(finalists(rows, {.most = 1}).size() == 1);
  CHECK(finalists({}).empty());
}

TEST_CASE("one may be a finalist whatever its cost, if it is right") {
  std::vector<Measurement> rows = {timed(1, {5.0}), timed(2, {1.0}), timed(3, {1.01})};
  rows[0].pruned_early = true;
  FinalsRules rules{.most = 2, .always = {rows[0].configuration}};
  const auto chosen = finalists(rows, rules);
  REQUIRE(chosen.size() == 3);
  CHECK(tile(*chosen[2]) == 1);
  rules.always = {rows[1].configuration};
  CHECK(finalists(rows, rules).size() == 2); // once
  rules.most = 0;
  CHECK(finalists(rows, rules).empty());
  rows[0].status = Status::correctness;
  CHECK(finalists(rows, {.most = 2, .always = {rows[0].configuration}}).size() == 2);
}

TEST_CASE("of those of the same machine code one is a finalist, the one that must be among them") {
  std::vector<Measurement> rows = {timed(1, {1.0}), timed(2, {1.0}), timed(3, {1.01}),
                                   timed(4, {1.0})};
  rows[1].same_code_as = rows[3].same_code_as = to_text(rows[0].configuration);
  CHECK(count_shared(rows) == 2);
  auto chosen = finalists(rows, {.most = 2});
  REQUIRE(chosen.size() == 2);
  CHECK(tile(*chosen[0]) == 1);
  CHECK(tile(*chosen[1]) == 3);
  chosen = finalists(rows, {.most = 2, .always = {rows[1].configuration, rows[3].configuration}});
  REQUIRE(chosen.size() == 2);
  CHECK(tile(*chosen[0]) == 2);
  Measurement final = *chosen[0];
  final.same_code_as.clear(); // launched by itself
  const auto same = same_code(rows, final);
  REQUIRE(same.size() == 2);
  CHECK(tile(*same[0]) == 1);
  CHECK(tile(*same[1]) == 4);
  CHECK(same_code(rows, rows[2]).empty());
}

TEST_CASE("overlapping intervals are a tie, and the one that moves fewest bytes wins it") {
  const std::vector<Measurement> rows = {timed(1, {1.0, 1.1}, 2e6), timed(2, {1.05, 1.15}, 1e6),
                                         timed(3, {1.5, 1.6}, 1e3)};
  const auto ranked = rank(rows);
  REQUIRE(ranked.size() == 3);
  CHECK(tile(ranked[0].measurement) == 2);
  CHECK_FALSE(ranked[0].tied);
  CHECK(tile(ranked[1].measurement) == 1);
  CHECK(ranked[1].tied);
  CHECK_FALSE(ranked[2].tied);
  CHECK((Answer{"", ranked}.ties() == 1));
}

TEST_CASE("without finals the best is what they would choose, not the lowest median") {
  Export exported;
  exported.recording.measurements = {timed(1, {1.05, 1.15}, 1e6), timed(2, {1.0, 1.1}, 2e6),
                                     timed(3, {0.9, 0.9})};
  exported.recording.measurements[2].pruned_early = true;
  CHECK(tile(best_of(exported)) == 1);
  for (Measurement& one : exported.recording.measurements) {
    one.reported_ms = one.times_ms.front();
    one.times_ms.clear();
  }
  CHECK(tile(best_of(exported)) == 2);
}

TEST_CASE("equal bytes: fewest registers, then the lowest median") {
  auto ranked = rank({timed(1, {1.0, 1.1}, 1e6, 40), timed(2, {1.05, 1.15}, 1.005e6, 32)});
  CHECK(tile(ranked[0].measurement) == 2);
  ranked = rank({timed(1, {1.05, 1.15}), timed(2, {1.0, 1.1})});
  CHECK(tile(ranked[0].measurement) == 2);
}

TEST_CASE("nothing correct gives no answer") {
  Measurement failed = timed(1, {1});
  failed.status = Status::runtime;
  CHECK(rank({failed}).empty());
}

TEST_CASE("another objective ranks by its own cost; more is better where it says so") {
  const std::vector<Measurement> rows = {timed(1, {1.0}, 3e6), timed(2, {2.0}, 1e6),
                                         timed(3, {3.0}, 1.005e6)};
  const auto by_bytes = rank(rows, objective("dram_traffic"));
  CHECK(tile(by_bytes[0].measurement) == 2);
  CHECK(by_bytes[1].tied); // within 1 %
  CHECK_FALSE(by_bytes[2].tied);
  const Objective bandwidth = objective("effective_bandwidth");
  CHECK(bandwidth.value(rows[0], {1e6, 0}) == Approx(1.0)); // GB/s: 1 MB in 1 ms
  CHECK(*bandwidth.cost(rows[0], {1e6, 0}) < *bandwidth.cost(rows[1], {1e6, 0}));
  CHECK_FALSE(bandwidth.cost(rows[0], {}));
  CHECK(contains(message_of([] { objective("tme"); }), "did you mean 'time'"));
}

TEST_CASE("a metric of the definition or of the catalogue is an objective") {
  OwnMetrics own;
  own.counters = {{"waits", "smsp__waits.sum"}};
  own.metrics = {{"waits_per_sm", "", "waits", Better::lower, {"waits / sm_count"}, ""},
                 {"speed", "", "", Better::higher, {"2 / (1 + waits_per_sm) + 0 * dram_bytes"}, ""},
                 {"plain", "", "", Better::neither, {"waits"}, ""},
                 {"of_peak", "%", "", Better::higher, {"dram_gb_per_s / peak_copy"}, ""}};
  Device device;
  device.sm_count = 4;
  std::vector<Measurement> rows = {timed(1, {1.0}, 1e6), timed(2, {2.0}, 1e6), timed(3, {3.0}, 1e6),
                                   timed(4, {0.5}, 1e6)};
  for (std::size_t i = 0; i < 3; ++i)
    rows[i].counters["smsp__waits.sum"] = 8.0 - 4 * static_cast<double>(i);
  const Objective fewest = objective("waits_per_sm", own, device);
  CHECK(fewest.unit == "waits");
  CHECK(fewest.counted);
  CHECK(fewest.counters.empty());
  CHECK(fewest.value(rows[0], {}) == 2.0);
  CHECK(fewest.value(rows[2], {}) == 0.0);
  CHECK(*fewest.cost(rows[2]) > 0);  // logarithms are taken of it
  CHECK_FALSE(fewest.cost(rows[3])); // was not counted
  const auto ranked = rank(rows, fewest);
  REQUIRE(ranked.size() == 3);
  CHECK(tile(ranked[0].measurement) == 3);
  CHECK(tile(ranked[2].measurement) == 1);
  // Parameters and extents go before counters of their names, registers are known.
  own.metrics.push_back(
      {"area", "", "", Better::lower, {"tile * warps + registers_per_thread"}, ""});
  const Objective area = objective("area", own, device);
  rows[0].counters["smsp__warps_launched.sum"] = 5;
  CHECK(area.value(rows[0], {0, 0, {{"warps", std::int64_t{8}}}}) == 8.0 + 32);
  CHECK(area.value(rows[0], {}) == 5.0 + 32);
  own.metrics.pop_back();
  const Objective fastest = objective("speed", own, device);
  CHECK(fastest.counters.size() == 2); // of dram_bytes
  CHECK(tile(rank(rows, fastest)[0].measurement) == 3);
  CHECK(tile(rank(rows, objective("dram_bytes"))[0].measurement) ==
        tile(rank(rows, objective("dram_traffic"))[0].measurement));

  CHECK(contains(message_of([&] { objective("plain", own); }),
                 "neither less nor more is better; say which in the definition"));
  CHECK(contains(message_of([&] { objective("of_peak", own); }), "needs a measured peak"));
  CHECK(contains(message_of([&] { objective("waits_per_ms", own); }),
                 "did you mean 'waits_per_sm'?"));
  CHECK(contains(message_of([] { objective("waits_per_sm"); }), "unknown objective"));
  CHECK(contains(message_of([] { objective("waits_per_sm"); }),
                 " more; 'gridsmith counters' lists all)"));
}

TEST_CASE("conditions say what is not the default, and what cannot be compared") {
  Conditions conditions;
  CHECK(to_text(conditions) == "L2 flushed before every sample");
  CHECK(comparable_text(conditions) == "cold");
  conditions.regime = Regime::warm;
  conditions.locked_clock_mhz = 1200;
  conditions.sampling.prune = false;
  CHECK(to_text(conditions) == "warm cache, SM clock locked at 1200 MHz, nothing pruned early");
  CHECK(comparable_text(conditions) == "warm 1200 MHz");
  conditions.bitwise = true;
  CHECK(comparable_text(conditions) == "warm 1200 MHz bitwise");
  CHECK(contains(to_text(conditions), "every result the same to the bit"));
  conditions.bitwise = false;
  conditions = Conditions();
  conditions.regime = Regime::back_to_back;
  CHECK(to_text(conditions) == "launches in a row");
  CHECK(comparable_text(conditions) == "back-to-back");
}

TEST_CASE("a regime is read under the name that it had, too") {
  Conditions conditions;
  read_fields(nlohmann::json::parse(R"({"cache": "warm"})"), conditions);
  CHECK(conditions.regime == Regime::warm);
  read_fields(nlohmann::json::parse(R"({"cache": "cold", "regime": "graph"})"), conditions);
  CHECK(conditions.regime == Regime::graph);
  CHECK(to_fields(conditions) == nlohmann::json({{"regime", "graph"}}));
}

TEST_CASE("of a row there are as many launches as last a millisecond") {
  CHECK(launches_per_sample(Regime::cold, 1e-4) == 1);
  CHECK(launches_per_sample(Regime::warm, 0.01) == 5);
  CHECK(launches_per_sample(Regime::graph, 0.01) == 100);
  CHECK(launches_per_sample(Regime::rotate, 40) == 2);
  CHECK(launches_per_sample(Regime::back_to_back, 0) == 256);
}

} // namespace answer_test
