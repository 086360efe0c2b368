// SPDX-License-Identifier: Apache-2.0
// 'gridsmith counters', and a definition's own counters and metrics from file to answer.
#include "gridsmith/kernels/reading/read_definition.hpp"
#include "gridsmith/tests/catch.hpp"
#include "gridsmith/tests/cpu/tuner/program.hpp"
#include "gridsmith/tuner/gpu/counter_passes.hpp"
#include "gridsmith/tuner/gpu/open_work.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>

namespace counters_test {

using namespace gridsmith;
using test::Program;

namespace {

/// The kernel of write_kernel() with this section.
std::filesystem::path write_with(const std::filesystem::path& folder, const std::string& section) {
  const std::filesystem::path file = test::write_kernel(folder, "own", 4);
  auto json = nlohmann::json::parse(test::read_file(file));
  json["Gridsmith"] = nlohmann::json::parse(section);
  test::write(file, json.dump());
  return file;
}

constexpr const char* section = R"({
  "Counters": {"barriers": "smsp__inst_executed_op_barrier.sum"},
  "Metrics": [{"Name": "launches_per_ms", "Formula": "1 / time_ms", "Unit": "1/ms", "Better": "higher"},
              {"Name": "barriers_per_warp", "Formula": "barriers / warps"}]})";

const nlohmann::json& named(const nlohmann::json& list, const std::string& name) {
  return *std::find_if(list.begin(), list.end(),
                       [&](const nlohmann::json& one) { return one["name"] == name; });
}

} // namespace

TEST_CASE("all sets, counters and metrics are listed for the chip of the device") {
  const Program program;
  REQUIRE(program.run({"counters", "--json"}) == 0);
  const auto json = nlohmann::json::parse(program.out());
  CHECK(json["chip"] == "GH100");
  CHECK(json["chip_because"] == "of device 0");
  CHECK(named(json["sets"], "default")["passes"] == 18); // the fake worker takes one for each
  CHECK(named(json["sets"], "none")["passes"].is_null());
  const auto& sectors = named(json["counters"], "load_sectors");
  CHECK(sectors["cupti"] == "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum");
  CHECK(sectors["missing"].is_null());
  CHECK(named(json["metrics"], "load_sectors_per_request")["better"] == "lower");
  CHECK_FALSE(json.contains("together"));
}

TEST_CASE("names are listed alone, with what they cost together") {
  const Program program;
  REQUIRE(program.run({"counters", "dram_bytes", "l1tex__m_x.sum", "--chip", "GB20B"}) == 0);
  const std::string said = test::unwrapped(program.out());
  CHECK_THAT(said, contains_text("Chip GB20B, as asked"));
  CHECK_THAT(said, contains_text("dram_read_bytes + dram_write_bytes (B, lower is better)"));
  CHECK_THAT(said,
             contains_text("Together: 1 counter (2 more are not counted on this chip), 1 pass, "
                           "about 2.9 ms per configuration"));
  CHECK(said.find("effective_gb_per_s") == std::string::npos);
  CHECK(program.run({"counters", "dram_byte"}) == 2);
  CHECK_THAT(program.err(), contains_text("did you mean 'dram_bytes'?"));
}

TEST_CASE("without a worker the newest chip is told of, and no passes") {
  const Program program;
  std::filesystem::remove(program.folder() / "libexec/gridsmith/gridsmith-worker");
  REQUIRE(program.run({"counters", "default", "--json"}) == 0);
  const auto json = nlohmann::json::parse(program.out());
  CHECK(json["chip"] == "GB110");
  CHECK(json["counters"].empty());
  CHECK(json["together"]["passes"].is_null());
  CHECK(json["together"]["counters"].size() == 18);
}

TEST_CASE("what counting costs") {
  CHECK(counting_ms(0) == 0);
  CHECK(counting_ms(1) == Approx(2.2 + 46.0 / 64));
  CHECK(counting_ms(3) == Approx(6.6 + 46.0 / 64));
}

TEST_CASE("a definition's own counters are read beside a set, and not where none is") {
  const test::Folder folder;
  Device device = device_of_capability(90);
  device.chip = "GH100";
  const KernelInstance instance =
      instantiate(read_definition(write_with(folder.path(), section)), {{32}}, device);
  const auto has = [](const std::vector<std::string>& names) {
    return std::count(names.begin(), names.end(), "smsp__inst_executed_op_barrier.sum") == 1;
  };
  Conditions conditions;
  CHECK(has(open_work(instance, conditions, 1).counters));
  CHECK(has(open_work(instance, conditions, 1).final_counters));
  conditions.counter_set = "smsp__inst_executed_op_barrier.sum";
  CHECK(open_work(instance, conditions, 1).counters.size() == 1);
  conditions.counter_set = "none";
  CHECK(open_work(instance, conditions, 1).counters.empty());
}

TEST_CASE(
    "a definition's own metrics stand in the answer's table, its JSON, the CSV and the store") {
  const Program program;
  const std::string kernel = write_with(program.folder(), section).string();
  const std::string store = (program.folder() / "s.db").string();
  REQUIRE(program.run({"tune", kernel, "--exhaustive", "--store", store}) == 0);
  CHECK_THAT(program.out(), contains_text("launches_per_ms"));
  CHECK(program.out().find("barriers_per_warp") == std::string::npos); // nothing was counted
  REQUIRE(program.run({"tune", kernel, "--exhaustive", "--store", store, "--json"}) == 0);
  const auto best = nlohmann::json::parse(program.out())["best"];
  CHECK(best["metrics"]["launches_per_ms"].get<double>() ==
        Approx(1 / best["time_ms"]["median"].get<double>()));
  REQUIRE(program.run({"export", "csv", store}) == 0);
  CHECK_THAT(program.out(), contains_text(",launches_per_ms,"));
}

} // namespace counters_test
