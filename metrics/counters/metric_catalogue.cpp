#include "gridsmith/metrics/counters/counter_names.hpp"
#include "gridsmith/metrics/counters/counters.hpp"

#include <algorithm>

namespace gridsmith {
namespace {

using namespace counter_names;
using Value = std::optional<double>;

Value find(const CounterValues& counters, std::string_view name) {
  const auto at = counters.find(std::string(name));
  return at == counters.end() ? Value() : Value(at->second);
}

Value quotient(Value above, Value below) {
  return above && below && *below > 0 ? Value(*above / *below) : Value();
}

Value scaled(Value value, double factor) {
  return value ? Value(*value * factor) : Value();
}

Value sum(Value left, Value right) {
  return left && right ? Value(*left + *right) : Value();
}

Value known(double value) {
  return value > 0 ? Value(value) : Value();
}

Value dram(const CounterValues& counters, std::string_view name, std::string_view renamed) {
  const auto value = find(counters, name);
  return value ? value : find(counters, renamed);
}

Value dram_read_bytes(const MetricFacts& facts) {
  return dram(facts.counters, dram_read, dram_read_gb20x);
}

Value dram_write_bytes(const MetricFacts& facts) {
  return dram(facts.counters, dram_write, dram_write_gb20x);
}

Value dram_bytes(const MetricFacts& facts) {
  return sum(dram_read_bytes(facts), dram_write_bytes(facts));
}

// Bytes per nanosecond are GB per second.
Value per_counted_second(Value bytes, const MetricFacts& facts) {
  return quotient(bytes, find(facts.counters, time_ns));
}

// Loads through cp.async or TMA pass these counters by: what is left of the loads is no verdict.
Value load_sectors_per_request(const MetricFacts& facts) {
  const auto& counters = facts.counters;
  for (const auto bypass : {async_instructions, tma_loads})
    if (find(counters, bypass).value_or(0) > 0)
      return {};
  return quotient(find(counters, load_sectors), find(counters, load_instructions));
}

Value store_sectors_per_request(const MetricFacts& facts) {
  const auto& counters = facts.counters;
  if (find(counters, tma_stores).value_or(0) > 0)
    return {};
  return quotient(find(counters, store_sectors), find(counters, store_instructions));
}

// The unit's own counter where it is collected, else bytes against the peak of clock and width.
Value dram_percent_of_peak(const MetricFacts& facts) {
  if (const auto counted = find(facts.counters, dram_percent))
    return counted;
  return scaled(quotient(per_counted_second(dram_bytes(facts), facts),
                         known(facts.device.peak_dram_gb_per_s)),
                100);
}

Value effective_gb_per_s(const MetricFacts& facts) {
  return scaled(quotient(known(facts.model_bytes), known(facts.time_ms)), 1e-6);
}

Value gflop_per_s(const MetricFacts& facts) {
  return scaled(quotient(known(facts.model_flops), known(facts.time_ms)), 1e-6);
}

std::function<Value(const MetricFacts&)> counter(std::string_view name) {
  return [name](const MetricFacts& facts) { return find(facts.counters, name); };
}

std::function<Value(const MetricFacts&)> ratio(std::string_view above, std::string_view below,
                                               double factor = 1) {
  return [=](const MetricFacts& facts) {
    return scaled(quotient(find(facts.counters, above), find(facts.counters, below)), factor);
  };
}

// Sources of the formulas, named once.
constexpr const char* nvprof_table = "Nsight Compute CLI guide, nvprof metric comparison";
constexpr const char* per_instruction =
    "Nsight Compute Profiling Guide, memory tables: one LSU instruction makes one request on 7.0 "
    "and "
    "later, so sectors per instruction are sectors per request in a single pass";
constexpr const char* own_duration =
    "bytes over gpu__time_duration of the counted launch itself, never the timed one";
constexpr const char* hit_rate = "Nsight Compute Profiling Guide, cache tables";
constexpr const char* scheduler = "Nsight Compute Profiling Guide, scheduler statistics";
constexpr const char* work_model =
    "the definition's work model over the median of the timed launches";

std::vector<Metric> global_metrics() {
  return {
      {"load_sectors_per_request", "ld sect/req", "",
       "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum / smsp__inst_executed_op_global_ld.sum; "
       "none "
       "where loads bypass them (LDGSTS, TMA)",
       per_instruction, load_sectors_per_request},
      {"store_sectors_per_request", "st sect/req", "",
       "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum / smsp__inst_executed_op_global_st.sum; "
       "none "
       "where stores bypass them (TMA)",
       per_instruction, store_sectors_per_request},
      {"load_sectors", "ld sectors", "", std::string(load_sectors), nvprof_table,
       counter(load_sectors)},
      {"store_sectors", "st sectors", "", std::string(store_sectors), nvprof_table,
       counter(store_sectors)},
  };
}

std::vector<Metric> dram_metrics() {
  const auto per_second = [](auto bytes) {
    return [bytes](const MetricFacts& facts) { return per_counted_second(bytes(facts), facts); };
  };
  return {
      {"dram_read_bytes", "DRAM rd", "B", "dram__bytes_read.sum (GB20x: dram__bytes_op_read.sum)",
       nvprof_table, dram_read_bytes},
      {"dram_write_bytes", "DRAM wr", "B",
       "dram__bytes_write.sum (GB20x: dram__bytes_op_write.sum)", nvprof_table, dram_write_bytes},
      {"dram_bytes", "DRAM", "B", "dram_read_bytes + dram_write_bytes", nvprof_table, dram_bytes},
      {"dram_read_gb_per_s", "DRAM rd GB/s", "GB/s",
       "dram_read_bytes / gpu__time_duration.sum of the counted launch", own_duration,
       per_second(dram_read_bytes)},
      {"dram_write_gb_per_s", "DRAM wr GB/s", "GB/s",
       "dram_write_bytes / gpu__time_duration.sum of the counted launch", own_duration,
       per_second(dram_write_bytes)},
      {"dram_gb_per_s", "DRAM GB/s", "GB/s",
       "dram_bytes / gpu__time_duration.sum of the counted launch", own_duration,
       per_second(dram_bytes)},
      {"dram_percent_of_peak", "DRAM %", "%",
       "dram__throughput.avg.pct_of_peak_sustained_elapsed, else dram_gb_per_s / the device's peak",
       nvprof_table, dram_percent_of_peak},
      {"dram_bytes_over_model", "DRAM/least", "", "dram_bytes / least bytes of the work model",
       "1 means the launch moved what the algorithm needs and no more",
       [](const MetricFacts& facts) {
         return quotient(dram_bytes(facts), known(facts.model_bytes));
       }},
  };
}

std::vector<Metric> cache_metrics() {
  constexpr double sector_bytes = 32;
  const auto sectors = [](const MetricFacts& facts) {
    return sum(find(facts.counters, l2_read), find(facts.counters, l2_write));
  };
  return {
      {"l2_read_sectors", "L2 rd sect", "", std::string(l2_read), nvprof_table, counter(l2_read)},
      {"l2_write_sectors", "L2 wr sect", "", std::string(l2_write), nvprof_table,
       counter(l2_write)},
      {"l2_gb_per_s", "L2 GB/s", "GB/s",
       "32 * (lts__t_sectors_op_read.sum + lts__t_sectors_op_write.sum) / gpu__time_duration.sum",
       own_duration,
       [sectors](const MetricFacts& facts) {
         return per_counted_second(scaled(sectors(facts), sector_bytes), facts);
       }},
      {"l2_atomic_sectors", "L2 atom sect", "",
       "lts__t_sectors_op_atom.sum + lts__t_sectors_op_red.sum",
       "atomics that return the old value, and reductions, which do not: they have counters of "
       "their own beside reads and writes",
       [](const MetricFacts& facts) {
         return sum(find(facts.counters, l2_atomics), find(facts.counters, l2_reductions));
       }},
      {"l1_hit_percent", "L1 hit", "%", std::string(l1_hit), hit_rate, counter(l1_hit)},
      {"l2_hit_percent", "L2 hit", "%", std::string(l2_hit), hit_rate, counter(l2_hit)},
  };
}

std::vector<Metric> shared_metrics() {
  return {
      {"shared_load_wavefronts_per_request", "sh ld wavefronts/req", "",
       "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum / "
       "smsp__inst_executed_op_shared_ld.sum; 1 is free of bank conflicts for 4-byte elements",
       nvprof_table, ratio(shared_load_waves, shared_loads)},
      {"shared_store_wavefronts_per_request", "sh st wavefronts/req", "",
       "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum / "
       "smsp__inst_executed_op_shared_st.sum; 1 is free of bank conflicts for 4-byte elements",
       nvprof_table, ratio(shared_store_waves, shared_stores)},
      {"shared_load_bank_conflicts", "sh ld confl", "", std::string(shared_load_conflicts),
       nvprof_table, counter(shared_load_conflicts)},
      {"shared_store_bank_conflicts", "sh st confl", "", std::string(shared_store_conflicts),
       nvprof_table, counter(shared_store_conflicts)},
  };
}

std::vector<Metric> sm_metrics() {
  return {
      {"achieved_occupancy", "occ %", "%", std::string(warps_percent), nvprof_table,
       counter(warps_percent)},
      {"ipc", "IPC", "", std::string(sm_ipc), "nvprof's ipc is per SM too, over active cycles",
       counter(sm_ipc)},
      {"sm_active_percent", "SM act %", "%", "100 * sm__cycles_active.avg / sm__cycles_elapsed.max",
       "nvprof's sm_efficiency, from SM cycles", ratio(sm_active, sm_elapsed, 100)},
      {"threads_per_instruction", "thr/inst", "", std::string(threads_per_inst), nvprof_table,
       counter(threads_per_inst)},
      {"issue_active_percent", "issue %", "%", std::string(issue_percent), scheduler,
       counter(issue_percent)},
      {"eligible_warps", "eligible", "", std::string(eligible), scheduler, counter(eligible)},
      {"counted_time_ms", "counted ms", "ms", "gpu__time_duration.sum / 10^6",
       "time of the counted launch: slower than a timed one, for rates of its counters only",
       [](const MetricFacts& facts) { return scaled(find(facts.counters, time_ns), 1e-6); }},
  };
}

std::vector<Metric> time_metrics() {
  return {
      {"effective_gb_per_s", "GB/s", "GB/s", "least bytes of the work model / time", work_model,
       effective_gb_per_s},
      {"gflop_per_s", "GFLOP/s", "GFLOP/s", "FLOPs of the work model / time", work_model,
       gflop_per_s},
      {"percent_of_copy", "% copy", "%",
       "effective_gb_per_s / the device's measured copy bandwidth",
       "device-to-device copy of the same machine, bytes read and written",
       [](const MetricFacts& facts) {
         return scaled(quotient(effective_gb_per_s(facts), facts.copy_gb_per_s), 100);
       }},
      {"percent_of_dram_peak", "% DRAM peak", "%",
       "effective_gb_per_s / the device's peak DRAM bandwidth (2 * memory clock * bus width / 8)",
       work_model,
       [](const MetricFacts& facts) {
         return scaled(quotient(effective_gb_per_s(facts), known(facts.device.peak_dram_gb_per_s)),
                       100);
       }},
      {"percent_of_fp32_peak", "% FP32 peak", "%",
       "gflop_per_s / the device's peak (2 * FP32 lanes * SMs * highest clock)", work_model,
       [](const MetricFacts& facts) {
         return scaled(quotient(gflop_per_s(facts), known(facts.device.peak_fp32_gflop_per_s)),
                       100);
       }},
  };
}

} // namespace

const std::vector<Metric>& metric_catalogue() {
  static const std::vector<Metric> catalogue = [] {
    std::vector<Metric> all;
    for (auto part : {time_metrics(), global_metrics(), dram_metrics(), sm_metrics(),
                      cache_metrics(), shared_metrics()})
      all.insert(all.end(), part.begin(), part.end());
    return all;
  }();
  return catalogue;
}

std::optional<double> metric_value(std::string_view name, const MetricFacts& facts) {
  const auto& all = metric_catalogue();
  const auto at = std::find_if(all.begin(), all.end(),
                               [&](const Metric& metric) { return metric.name == name; });
  return at == all.end() ? std::nullopt : at->value(facts);
}

} // namespace gridsmith
