// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/base/error.hpp"
#include "gridsmith/base/expression/expression.hpp"
#include "gridsmith/metrics/catalogue/counter_sets.hpp"
#include "gridsmith/metrics/catalogue/metrics.hpp"
#include "gridsmith/tests/catch.hpp"

#include <algorithm>
#include <cmath>
#include <set>
#include <stdexcept>

namespace catalogue_test {

using namespace gridsmith;

namespace {

constexpr double matrix_bytes = 4.0 * 8192 * 8192;

Device h200() {
  auto device = device_of_capability(90);
  device.peak_dram_gb_per_s = 4917;
  device.peak_fp32_gflop_per_s = 66908;
  return device;
}

// Transpose of 8192 x 8192 floats on an H200, as counted there: the naive kernel and the one
// through shared memory.
CounterValues naive_transpose() {
  return {{"gpu__time_duration.sum", 1103456},
          {"l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum", 8388608},
          {"l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum", 67108864},
          {"smsp__inst_executed_op_global_ld.sum", 2097152},
          {"smsp__inst_executed_op_global_st.sum", 2097152},
          {"smsp__inst_executed_op_ldgsts.sum", 0},
          {"dram__bytes_read.sum", 323413248},
          {"dram__bytes_write.sum", 330705920},
          {"dram__throughput.avg.pct_of_peak_sustained_elapsed", 12.31914402},
          {"lts__t_sectors_op_read.sum", 12584454},
          {"lts__t_sectors_op_write.sum", 102382157},
          {"sm__warps_active.avg.pct_of_peak_sustained_active", 81.6140716},
          {"sm__cycles_active.avg", 2148150.856},
          {"sm__cycles_elapsed.max", 2184803}};
}

CounterValues tiled_transpose() {
  return {{"gpu__time_duration.sum", 173056},
          {"l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum", 8388608},
          {"l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum", 8388608},
          {"smsp__inst_executed_op_global_ld.sum", 2097152},
          {"smsp__inst_executed_op_global_st.sum", 2097152},
          {"dram__bytes_read.sum", 268473856},
          {"dram__bytes_write.sum", 274087680}};
}

Peaks copy_peak() {
  Peak copy;
  copy.name = "copy";
  copy.value = 4145; // GB/s
  return {copy};
}

double value(std::string_view name, const CounterValues& counters, double time_ms = 0,
             double bytes = 0, double flops = 0) {
  const auto device = h200();
  const auto peaks = copy_peak();
  const auto result = metric_value(name, {counters, device, time_ms, bytes, flops, &peaks});
  return result.value_or(std::nan(""));
}

bool absent(std::string_view name, const CounterValues& counters, double time_ms = 0,
            double bytes = 0) {
  const auto device = h200();
  const auto peaks = copy_peak();
  return !metric_value(name, {counters, device, time_ms, bytes, 0, &peaks});
}

bool has(const std::vector<std::string>& names, const std::string& name) {
  return std::count(names.begin(), names.end(), name) == 1;
}

} // namespace

TEST_CASE("Transactions per access: 32 for the naive transpose's stores, 4 for the tiled one's") {
  CHECK(value("store_sectors_per_request", naive_transpose()) == 32);
  CHECK(value("load_sectors_per_request", naive_transpose()) == 4);
  CHECK(value("store_sectors_per_request", tiled_transpose()) == 4);
  CHECK(ideal_sectors_per_request(4) == 4);
  CHECK(ideal_sectors_per_request(8) == 8);
  CHECK(ideal_sectors_per_request(1) == 1);
}

TEST_CASE("Loads that bypass the counters make their ratio no better, but absent") {
  auto counters = tiled_transpose();
  counters["smsp__inst_executed_op_ldgsts.sum"] = 10;
  CHECK(absent("load_sectors_per_request", counters));
  CHECK_FALSE(absent("store_sectors_per_request", counters));
  counters["smsp__inst_executed_op_ldgsts.sum"] = 0;
  CHECK_FALSE(absent("load_sectors_per_request", counters));
  counters["smsp__inst_executed_op_tma_ld.sum"] = 1;
  CHECK(absent("load_sectors_per_request", counters));
  counters["smsp__inst_executed_op_global_st.sum"] = 0;
  CHECK(absent("store_sectors_per_request", counters));
}

TEST_CASE("DRAM figures use the counted launch's own duration") {
  const auto counters = tiled_transpose();
  CHECK(value("dram_read_bytes", counters) == 268473856);
  CHECK(value("dram_bytes", counters) == 268473856.0 + 274087680.0);
  CHECK(value("dram_gb_per_s", counters, 99) == Approx(542561536.0 / 173056).epsilon(1e-9));
  CHECK(value("dram_read_gb_per_s", counters) == Approx(1551.37).epsilon(1e-4));
  CHECK(value("dram_write_gb_per_s", counters) == Approx(1583.81).epsilon(1e-4));
  CHECK(value("dram_bytes_over_model", counters, 0, 2 * matrix_bytes) ==
        Approx(1.0106).epsilon(1e-3));
  CHECK(absent("dram_bytes_over_model", counters));
}

TEST_CASE("DRAM percent prefers the unit's own counter, else bytes against the peak") {
  CHECK(value("dram_percent_of_peak", naive_transpose()) == Approx(12.31914402));
  CHECK(value("dram_percent_of_peak", tiled_transpose()) == Approx(63.76).epsilon(1e-3));
}

TEST_CASE("The names of GB20x count as well as the others'") {
  const CounterValues counters = {{"gpu__time_duration.sum", 1000},
                                  {"dram__bytes_op_read.sum", 5000},
                                  {"dram__bytes_op_write.sum", 3000}};
  CHECK(value("dram_read_bytes", counters) == 5000);
  CHECK(value("dram_gb_per_s", counters) == 8);
}

TEST_CASE("DRAM bytes that were counted as sectors are 32 a sector") {
  CounterValues counters = {{"gpu__time_duration.sum", 1000},
                            {"dram__sectors_read.sum", 100},
                            {"dram__sectors_write.sum", 50}};
  CHECK(value("dram_bytes", counters) == 4800);
  CHECK(value("dram_gb_per_s", counters) == Approx(4.8));
  counters["dram__bytes_read.sum"] = 3000;
  CHECK(value("dram_read_bytes", counters) == 3000);
  counters.erase("dram__sectors_write.sum");
  CHECK(absent("dram_bytes", counters));
}

TEST_CASE("Rates come from the work model and the timed launches") {
  CHECK(value("effective_gb_per_s", {}, 0.142, 2 * matrix_bytes) == Approx(3780.8).epsilon(1e-4));
  CHECK(value("percent_of_copy", {}, 0.142, 2 * matrix_bytes) == Approx(91.21).epsilon(1e-3));
  CHECK(value("gflop_per_s", {}, 4.94, 0, 2.0 * 4096 * 4096 * 4096) ==
        Approx(27821.7).epsilon(1e-4));
  CHECK(value("percent_of_fp32_peak", {}, 4.94, 0, 2.0 * 4096 * 4096 * 4096) ==
        Approx(41.58).epsilon(1e-3));
  CHECK(absent("effective_gb_per_s", {}, 0, 100));
  CHECK(absent("effective_gb_per_s", {}, 1, 0));
  CHECK(absent("gflop_per_s", {}, 1, 100));
}

TEST_CASE("Shared memory, occupancy and L2") {
  CounterValues counters = naive_transpose();
  counters["l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum"] = 67318579;
  counters["smsp__inst_executed_op_shared_ld.sum"] = 2097152;
  CHECK(value("shared_load_wavefronts_per_request", counters) == Approx(32.1).epsilon(1e-3));
  CHECK(value("achieved_occupancy", counters) == Approx(81.6140716));
  CHECK(value("sm_active_percent", counters) == Approx(98.32).epsilon(1e-3));
  CHECK(value("l2_gb_per_s", counters) == Approx(32.0 * 114966611 / 1103456));
  CHECK(value("counted_time_ms", counters) == Approx(1.103456));
}

TEST_CASE("A metric from counters that are absent gives nothing") {
  for (const auto& metric : metric_catalogue()) {
    CAPTURE(metric.name);
    CHECK(absent(metric.name, {}));
  }
  CHECK(absent("no_such_metric", naive_transpose()));
}

TEST_CASE("Each metric is named once and says its formula and source") {
  std::set<std::string> names;
  for (const auto& metric : metric_catalogue()) {
    CAPTURE(metric.name);
    CHECK(names.insert(metric.name).second);
    CHECK_FALSE(metric.label.empty());
    CHECK_FALSE(metric.formulas.empty());
    CHECK_FALSE(metric.source.empty());
  }
}

TEST_CASE("Every name in a formula is a counter, a metric, a peak or a fact") {
  std::set<std::string> known;
  for (const std::string& name : formula_names())
    CHECK(known.insert(name).second);
  for (const auto& metric : metric_catalogue())
    for (const auto& formula : metric.formulas) {
      CAPTURE(metric.name);
      const auto parsed = Expression::parse(formula);
      for (const auto& name : parsed.names())
        CHECK(known.count(name) == 1);
      for (const auto& name : metric.bypasses)
        CHECK(find_counter(name));
    }
}

TEST_CASE("A metric of a definition uses the names that the catalogue's use") {
  Metric mine;
  mine.name = "sectors";
  mine.formulas = {"no_such_name", "load_sectors + store_sectors"};
  const auto counters = tiled_transpose();
  const auto device = h200();
  CHECK(metric_value(mine, {counters, device}) == 2 * 8388608.0);
  CHECK(counters_of(mine) == std::vector<std::string_view>{"load_sectors", "store_sectors"});
}

TEST_CASE("Counter sets follow the chip") {
  const auto hopper = wanted_counters("default", "GH100");
  CHECK(hopper.names.size() == 18);
  CHECK(hopper.missing.empty());
  CHECK(has(hopper.names, "dram__bytes_read.sum"));
  CHECK(has(hopper.names, "dram__throughput.avg.pct_of_peak_sustained_elapsed"));
  const auto turing = wanted_counters("default", "TU102");
  CHECK(has(turing.names, "dram__bytes_read.sum"));
  CHECK_FALSE(has(turing.names, "dram__throughput.avg.pct_of_peak_sustained_elapsed"));
  CHECK_FALSE(has(turing.names, "smsp__inst_executed_op_ldgsts.sum"));
  CHECK(turing.missing == std::vector<std::string>{
                              "TU102 does not count async_copies: it has no asynchronous copies"});
  const auto blackwell = wanted_counters("default", "GB202");
  CHECK(has(blackwell.names, "dram__bytes_op_write.sum"));
  CHECK_FALSE(has(blackwell.names, "dram__bytes_write.sum"));
  for (const auto& name : wanted_counters("full", "GB10B").names)
    CHECK(name.find("dram") == std::string::npos);
}

TEST_CASE("Sets, counters, metrics and CUPTI's own names may be asked for, each counted once") {
  CHECK(wanted_counters("none", "GH100").names.empty());
  CHECK(wanted_counters("ipc,instructions_per_cycle", "GH100").names ==
        std::vector<std::string>{"sm__inst_executed.avg.per_cycle_elapsed"});
  CHECK(wanted_counters("dram_gb_per_s", "GB202").names.size() == 3);
  CHECK(wanted_counters("sm__cycles_active.max", "GH100").names ==
        std::vector<std::string>{"sm__cycles_active.max"});
  for (const auto& set : counter_sets()) {
    const auto names = wanted_counters(set.name, "GH100").names;
    CHECK(std::set<std::string>(names.begin(), names.end()).size() == names.size());
    CHECK(names.empty() == (set.name == "none"));
  }
  for (const std::string word : {"defalt", "", "default,", "sm__cycles_active"})
    CHECK_THROWS_WITH(wanted_counters(word, "GH100"),
                      contains_text("unknown counter '") &&
                          contains_text("there are the sets none, default, shared, full"));
  CHECK_THROWS_WITH(wanted_counters("defalt", ""), contains_text("did you mean 'default'?"));
}

TEST_CASE("Finalists of the default set are counted in full, others as asked") {
  CHECK(counters_of_finals("default") == "full");
  CHECK(counters_of_finals("none") == "none");
  CHECK(counters_of_finals("ipc") == "ipc");
  CHECK(counters_of_finals("default,ipc") == "full,ipc");
}

TEST_CASE("counters join a set that lacks them") {
  CHECK(with_counters("default", {}) == "default");
  const std::array<std::string_view, 2> had{"dram_read_bytes", "dram_write_bytes"};
  CHECK(with_counters("default", had) == "default");
  const std::array<std::string_view, 1> lacks{"shared_load_wavefronts"};
  CHECK(with_counters("default", lacks) == "default,shared_load_wavefronts");
  CHECK(with_counters("full", lacks) == "full");
}

TEST_CASE("a definition's own metrics are of its counters, the catalogue and those before") {
  OwnMetrics own;
  own.counters = {{"barriers", "smsp__inst_executed_op_barrier.sum"}};
  own.metrics = {{"barriers_per_load", "", "", Better::lower, {"barriers / load_instructions"}, ""},
                 {"twice", "", "", Better::neither, {"2 * barriers_per_load"}, ""},
                 {"circular", "", "", Better::neither, {"circular + later"}, ""},
                 {"later", "", "", Better::neither, {"1"}, ""},
                 {"no_formula", "", "", Better::neither, {"(("}, ""}};
  CounterValues counters = tiled_transpose();
  counters["smsp__inst_executed_op_barrier.sum"] = 4 * 2097152.0;
  const Device device = h200();
  const MetricFacts facts{.counters = counters, .device = device, .own = &own};
  CHECK(metric_value("barriers", facts) == 4 * 2097152.0);
  CHECK(metric_value("barriers_per_load", facts) == 4);
  CHECK(metric_value(own.metrics[1], facts) == 8);
  CHECK_FALSE(metric_value("circular", facts)); // neither itself nor what comes after it
  CHECK_FALSE(metric_value(own.metrics[2], facts));
  CHECK(metric_value("later", facts) == 1);
  CHECK_FALSE(metric_value("no_formula", facts));
  CHECK_FALSE(metric_value("barriers_per_load", MetricFacts{counters, device}));
  counters.erase("smsp__inst_executed_op_barrier.sum");
  CHECK_FALSE(metric_value("twice", facts));
  own.metrics.clear();
  for (int i = 0; i < 64; ++i) // each of both before it: as many ways as Fibonacci's numbers
    own.metrics.push_back(
        {"m" + std::to_string(i),
         "",
         "",
         Better::lower,
         {i < 2 ? "barriers" : "m" + std::to_string(i - 1) + " + m" + std::to_string(i - 2)},
         ""});
  CHECK(is_counted(own.metrics.back(), own));
}

} // namespace catalogue_test
