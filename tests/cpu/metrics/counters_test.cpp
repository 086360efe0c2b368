#include "gridsmith/base/error.hpp"
#include "gridsmith/metrics/counters/counters.hpp"
#include "gridsmith/tests/catch.hpp"

#include <algorithm>
#include <cmath>
#include <set>
#include <stdexcept>

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

double value(std::string_view name, const CounterValues& counters, double time_ms = 0,
             double bytes = 0, double flops = 0) {
  const auto device = h200();
  const auto result = metric_value(name, {counters, device, time_ms, bytes, flops, 4145});
  return result.value_or(std::nan(""));
}

bool absent(std::string_view name, const CounterValues& counters, double time_ms = 0,
            double bytes = 0) {
  const auto device = h200();
  return !metric_value(name, {counters, device, time_ms, bytes, 0, 4145});
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
    CHECK_FALSE(metric.formula.empty());
    CHECK_FALSE(metric.source.empty());
  }
}

TEST_CASE("Counter sets follow the chip") {
  const auto& set = counter_set("default");
  const auto hopper = set.names("GH100");
  CHECK(hopper.size() == 15);
  CHECK(has(hopper, "dram__bytes_read.sum"));
  CHECK(has(hopper, "dram__throughput.avg.pct_of_peak_sustained_elapsed"));
  const auto turing = set.names("TU102");
  CHECK(has(turing, "dram__bytes_read.sum"));
  CHECK_FALSE(has(turing, "dram__throughput.avg.pct_of_peak_sustained_elapsed"));
  CHECK_FALSE(has(turing, "smsp__inst_executed_op_ldgsts.sum"));
  const auto blackwell = set.names("GB202");
  CHECK(has(blackwell, "dram__bytes_op_write.sum"));
  CHECK_FALSE(has(blackwell, "dram__bytes_write.sum"));
  for (const auto& name : set.names("GB10B"))
    CHECK(name.find("dram") == std::string::npos);
}

TEST_CASE("Sets have no name twice; none is empty; an unknown one lists them") {
  for (const auto& set : counter_sets()) {
    const auto names = set.names("GH100");
    CHECK(std::set<std::string>(names.begin(), names.end()).size() == names.size());
    CHECK(names.empty() == (set.name == "none"));
  }
  try {
    counter_set("defalt");
    FAIL("accepted");
  } catch (const gridsmith::InputError& error) {
    CHECK(std::string(error.what()).find("default, shared, full, none") != std::string::npos);
  }
}
