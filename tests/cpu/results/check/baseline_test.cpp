// SPDX-License-Identifier: Apache-2.0
// A baseline as text, its binaries, and what is said of bad ones; what counters say beside times.
#include "gridsmith/results/check/baseline.hpp"
#include "gridsmith/results/check/baseline_binaries.hpp"
#include "gridsmith/results/check/counter_change.hpp"
#include "gridsmith/tests/catch.hpp"
#include "gridsmith/tests/cpu/results/sample.hpp"

#include <algorithm>
#include <fstream>

namespace baseline_test {

using namespace gridsmith;

namespace {

BaselineEntry entry(const std::string& problem, int tile) {
  BaselineEntry one{.kernel = "transpose",
                    .problem = problem,
                    .configuration = {{"TILE", Value{std::int64_t{tile}}},
                                      {"VECTOR", Value{true}},
                                      {"LAYOUT", Value{std::string("row \"major\"")}}},
                    .compute_capability = 90,
                    .toolkit = "13.0"};
  one.geometry.grid[0] = 512;
  one.code.compile.registers_per_thread = 32;
  one.code.mix = {{"LDG.128", 4}};
  one.time =
      KnownTime{0.1423, 0.1419, 0.1429, 31, 1980.0, "NVIDIA H200", "580.1", {}, "2026-11-22"};
  one.counters = {{"smsp__inst_executed.sum", 123456789.0}};
  return one;
}

std::string refusal(const std::string& text) {
  try {
    baseline_of_text(text, "b.json");
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

std::string with(const std::string& fields) {
  return R"({"gridsmith baseline": 1, "entries": [{"kernel": "k", "problem": "8", )"
         R"("compute_capability": 90)" +
         fields + "}]}";
}

} // namespace

TEST_CASE("a baseline is read as it was written, and written sorted, a fact a line") {
  Baseline baseline{{entry("4096x4096", 32), entry("512x512", 16)}};
  baseline.entries[1].objective = "dram_traffic";
  const std::string text = to_text(baseline);
  const Baseline again = baseline_of_text(text, "b.json");
  REQUIRE(again.entries.size() == 2);
  CHECK(again.entries[0] == baseline.entries[1]); // by extents, not by letters
  CHECK(again.entries[1] == baseline.entries[0]);
  CHECK(to_text(again) == text);
  CHECK_THAT(text, contains_text("\n  \"objective\": \"dram_traffic\""));
  CHECK(text.find("objective") == text.rfind("objective")); // nothing is said of time
  CHECK_THAT(text, contains_text("\n   \"median_ms\": 0.1423"));
  CHECK_THAT(text, contains_text("\n   \"smsp__inst_executed.sum\": 123456789"));
}

TEST_CASE("what is no baseline is refused in one line that says why") {
  CHECK_THAT(refusal("{}"), contains_text("b.json: is no baseline of Gridsmith's"));
  CHECK_THAT(refusal("not JSON"), contains_text("b.json: is no baseline"));
  CHECK_THAT(refusal(R"({"gridsmith baseline": 2, "entries": []})"),
             contains_text("version 2; this program knows versions up to 1"));
  CHECK_THAT(refusal(R"({"gridsmith baseline": 1})"), contains_text("entries"));
  CHECK_THAT(refusal(with(R"(, "geometri": {})")), contains_text("did you mean 'geometry'?"));
  CHECK_THAT(refusal(with(R"(, "geometry": {"grid": [0, 1, 1]})")),
             contains_text("entry 1: geometry"));
  CHECK_THAT(refusal(with(R"(, "time": {"median_ms": "fast"})")),
             contains_text("entry 1: time: median_ms"));
  CHECK_THAT(refusal(R"({"gridsmith baseline": 1, "entries": [{"problem": "8"}]})"),
             contains_text("entry 1: expected \"kernel\""));
  CHECK_THAT(refusal(R"({"gridsmith baseline": 1, "entries": [)" + std::string(300, '[')),
             contains_text("nested too deeply"));
  const std::string twice = to_text(Baseline{{entry("8x8", 16), entry("8x8", 16)}});
  CHECK_THAT(refusal(twice), contains_text("transpose 8x8 sm_90 appears twice"));
  CHECK(refusal(with("")) == "");
}

TEST_CASE("a binary is found by what it holds, or not at all") {
  const test::Folder folder;
  const std::filesystem::path file = folder / "b.json";
  const std::vector<std::uint8_t> cubin{1, 2, 3, 0, 4};
  CHECK(binaries_beside("x/b.json.gz") == "x/b.cubins");
  const OldBinary kept = keep_binary(binaries_beside(file), cubin, "k");
  CHECK(kept.bytes == 5);
  const auto found = find_binary({"", folder / "elsewhere", binaries_beside(file)}, kept);
  REQUIRE(found.cubin);
  CHECK(*found.cubin == cubin);
  std::ofstream(binaries_beside(file) / (kept.hash + ".cubin")) << "another's";
  CHECK_THAT(find_binary({binaries_beside(file)}, kept).because,
             contains_text("is not the binary that the baseline names"));
  OldBinary foreign = kept;
  foreign.hash = "../../etc/passwd";
  CHECK_THAT(find_binary({folder.path()}, foreign).because, contains_text("an invalid hash"));
}

TEST_CASE("counters that changed are told with what they mean, exact ones first") {
  const CounterValues before{{"l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum", 4000},
                             {"smsp__inst_executed_op_global_st.sum", 1000},
                             {"smsp__inst_executed.sum", 90000},
                             {"dram__bytes_read.sum", 1e6},
                             {"gpu__time_duration.sum", 100}};
  CounterValues now = before;
  CHECK(counter_changes(before, now).empty());
  now["dram__bytes_read.sum"] = 1.05e6;     // scatters so much
  now["gpu__time_duration.sum"] = 300;      // of the counted launch
  now["smsp__inst_executed.sum"] = 90000.5; // less than what is exact
  CHECK(counter_changes(before, now).empty());
  now["l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum"] = 32000;
  now["dram__bytes_read.sum"] = 9e6;
  const auto changes = counter_changes(before, now);
  REQUIRE(changes.size() == 3);
  CHECK(to_text(changes[0]) == "store sectors per request 4 → 32");
  CHECK(changes[1].what == "store sectors");
  CHECK(changes[1].exact);
  CHECK(changes[1].worse);
  CHECK_FALSE(changes[0].worse); // wider accesses raise it too
  CHECK(changes[2].what == "dram read bytes");
  CHECK_FALSE(changes[2].exact);
  CHECK_FALSE(changes[2].worse);
  const auto back = counter_changes(now, before);
  CHECK(std::none_of(back.begin(), back.end(), [](const CounterChange& one) { return one.worse; }));
  const std::string wide = "smsp__sass_inst_executed_op_memory_128b.sum";
  CHECK_FALSE(counter_changes({{wide, 10}}, {{wide, 20}}).at(0).worse);
  CHECK(any_in_both(before, now));
  CHECK_FALSE(any_in_both({{"gpu__time_duration.sum", 1}}, {{"gpu__time_duration.sum", 1}}));
}

} // namespace baseline_test
