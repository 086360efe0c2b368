// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/results/profiles/metric_names.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <span>

namespace gridsmith {
namespace {

struct Entry {
  std::string_view theirs, ours;
  double factor = 1;
};

constexpr double percent = 100;
// Share of a warp's lanes in % -> lanes.
constexpr double lanes = 0.32;

// Nsight Compute CLI documentation, "nvprof Metric Comparison"; each name asked of CUPTI 13.0. Left
// out is what means something else there: levels from 0 to 10 (…_utilization), L2 hit rates of one
// client, shares of stalls (there of a warp's time), eligible warps (there of the whole GPU), and all
// that is a sum or quotient of several counters.
constexpr std::array<Entry, 39> nvprof{{
    {"achieved_occupancy", "sm__warps_active.avg.pct_of_peak_sustained_active", percent},
    {"branch_efficiency", "smsp__sass_average_branch_targets_threads_uniform.pct"},
    {"dram_read_bytes", "dram__bytes_read.sum"},
    {"dram_read_throughput", "dram__bytes_read.sum.per_second"},
    {"dram_read_transactions", "dram__sectors_read.sum"},
    {"dram_write_bytes", "dram__bytes_write.sum"},
    {"dram_write_throughput", "dram__bytes_write.sum.per_second"},
    {"dram_write_transactions", "dram__sectors_write.sum"},
    {"gld_efficiency", "smsp__sass_average_data_bytes_per_sector_mem_global_op_ld.pct"},
    {"gld_throughput", "l1tex__t_bytes_pipe_lsu_mem_global_op_ld.sum.per_second"},
    {"gld_transactions", "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"},
    {"gld_transactions_per_request",
     "l1tex__average_t_sectors_per_request_pipe_lsu_mem_global_op_ld.ratio"},
    {"global_load_requests", "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum"},
    {"global_store_requests", "l1tex__t_requests_pipe_lsu_mem_global_op_st.sum"},
    {"gst_efficiency", "smsp__sass_average_data_bytes_per_sector_mem_global_op_st.pct"},
    {"gst_throughput", "l1tex__t_bytes_pipe_lsu_mem_global_op_st.sum.per_second"},
    {"gst_transactions", "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum"},
    {"gst_transactions_per_request",
     "l1tex__average_t_sectors_per_request_pipe_lsu_mem_global_op_st.ratio"},
    {"inst_executed", "smsp__inst_executed.sum"},
    {"inst_issued", "smsp__inst_issued.sum"},
    {"ipc", "sm__inst_executed.avg.per_cycle_active"}, // nvprof's is of an SM
    {"issue_slot_utilization", "smsp__issue_active.avg.pct_of_peak_sustained_active"},
    {"issued_ipc", "sm__inst_issued.avg.per_cycle_active"},
    {"local_load_transactions", "l1tex__t_sectors_pipe_lsu_mem_local_op_ld.sum"},
    {"local_store_transactions", "l1tex__t_sectors_pipe_lsu_mem_local_op_st.sum"},
    {"shared_efficiency", "smsp__sass_average_data_bytes_per_wavefront_mem_shared.pct"},
    {"shared_ld_bank_conflict", "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum"},
    {"shared_ld_transactions", "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum"},
    {"shared_load_transactions", "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum"},
    {"shared_st_bank_conflict", "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum"},
    {"shared_st_transactions", "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum"},
    {"shared_store_transactions", "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum"},
    {"sm_efficiency", "smsp__cycles_active.avg.pct_of_peak_sustained_elapsed"},
    {"sysmem_read_transactions", "lts__t_sectors_aperture_sysmem_op_read.sum"},
    {"sysmem_write_transactions", "lts__t_sectors_aperture_sysmem_op_write.sum"},
    {"tex_cache_hit_rate", "l1tex__t_sector_hit_rate.pct"},
    {"thread_inst_executed", "smsp__thread_inst_executed.sum"},
    {"warp_execution_efficiency", "smsp__thread_inst_executed_per_inst_executed.ratio", lanes},
    {"warp_nonpred_execution_efficiency",
     "smsp__thread_inst_executed_pred_on_per_inst_executed.ratio", lanes},
}};

/// The rows of one section, whatever is added to its name ("… Throughput", "… Tables").
struct Section {
  std::string_view name;
  std::span<const Entry> entries;
};

// ncu's section files. Left out is what another version counts otherwise (elapsed cycles, SM
// frequency, slots busy: of active or of elapsed cycles).
constexpr std::array<Entry, 14> speed_of_light{{
    {"Compute (SM) Throughput", "sm__throughput.avg.pct_of_peak_sustained_elapsed"},
    {"Compute (SM) [%]", "sm__throughput.avg.pct_of_peak_sustained_elapsed"},
    {"SM [%]", "sm__throughput.avg.pct_of_peak_sustained_elapsed"},
    {"SOL SM", "sm__throughput.avg.pct_of_peak_sustained_elapsed"},
    {"Memory Throughput", "gpu__compute_memory_throughput.avg.pct_of_peak_sustained_elapsed"},
    {"Memory [%]", "gpu__compute_memory_throughput.avg.pct_of_peak_sustained_elapsed"},
    {"SOL Memory", "gpu__compute_memory_throughput.avg.pct_of_peak_sustained_elapsed"},
    {"DRAM Throughput", "gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed"},
    {"Duration", "gpu__time_duration.sum"},
    {"L1/TEX Cache Throughput", "l1tex__throughput.avg.pct_of_peak_sustained_active"},
    {"L2 Cache Throughput", "lts__throughput.avg.pct_of_peak_sustained_elapsed"},
    {"SM Active Cycles", "sm__cycles_active.avg"},
    {"DRAM Frequency", "dram__cycles_elapsed.avg.per_second"},
    {"Waves Per SM", "launch__waves_per_multiprocessor"},
}};

constexpr std::array<Entry, 6> memory{{
    {"Memory Throughput", "dram__bytes.sum.per_second"},
    {"Mem Busy", "gpu__compute_memory_access_throughput.avg.pct_of_peak_sustained_elapsed"},
    {"Max Bandwidth", "gpu__compute_memory_request_throughput.avg.pct_of_peak_sustained_elapsed"},
    {"Mem Pipes Busy", "sm__memory_throughput.avg.pct_of_peak_sustained_elapsed"},
    {"L1/TEX Hit Rate", "l1tex__t_sector_hit_rate.pct"},
    {"L2 Hit Rate", "lts__t_sector_hit_rate.pct"},
}};

constexpr std::array<Entry, 3> compute{{
    {"Executed Ipc Active", "sm__inst_executed.avg.per_cycle_active"},
    {"Executed Ipc Elapsed", "sm__inst_executed.avg.per_cycle_elapsed"},
    {"Issued Ipc Active", "sm__inst_issued.avg.per_cycle_active"},
}};

constexpr std::array<Entry, 7> scheduler{{
    {"Active Warps Per Scheduler", "smsp__warps_active.avg.per_cycle_active"},
    {"Eligible Warps Per Scheduler", "smsp__warps_eligible.avg.per_cycle_active"},
    {"Issued Warp Per Scheduler", "smsp__issue_active.avg.per_cycle_active"},
    {"One or More Eligible", "smsp__issue_active.avg.pct_of_peak_sustained_active"},
    {"No Eligible", "smsp__issue_inst0.avg.pct_of_peak_sustained_active"},
    {"Theoretical Warps Per Scheduler", "smsp__maximum_warps_avg_per_active_cycle"},
    {"GPU Maximum Warps Per Scheduler", "smsp__warps_active.avg.peak_sustained"},
}};

constexpr std::array<Entry, 4> warp_state{{
    {"Warp Cycles Per Issued Instruction", "smsp__average_warp_latency_per_inst_issued.ratio"},
    {"Warp Cycles Per Executed Instruction", "smsp__average_warps_active_per_inst_executed.ratio"},
    {"Avg. Active Threads Per Warp", "smsp__thread_inst_executed_per_inst_executed.ratio"},
    {"Avg. Not Predicated Off Threads Per Warp",
     "smsp__thread_inst_executed_pred_on_per_inst_executed.ratio"},
}};

constexpr std::array<Entry, 4> instructions{{
    {"Executed Instructions", "smsp__inst_executed.sum"},
    {"Issued Instructions", "smsp__inst_issued.sum"},
    {"Avg. Executed Instructions Per Scheduler", "smsp__inst_executed.avg"},
    {"Avg. Issued Instructions Per Scheduler", "smsp__inst_issued.avg"},
}};

constexpr std::array<Entry, 7> launch_names{{
    {"Grid Size", "launch__grid_size"},
    {"Block Size", "launch__block_size"},
    {"Registers Per Thread", "launch__registers_per_thread"},
    {"Static Shared Memory Per Block", "launch__shared_mem_per_block_static"},
    {"Dynamic Shared Memory Per Block", "launch__shared_mem_per_block_dynamic"},
    {"Threads", "launch__thread_count"},
    {"Waves Per SM", "launch__waves_per_multiprocessor"},
}};

constexpr std::array<Entry, 8> occupancy{{
    {"Achieved Occupancy", "sm__warps_active.avg.pct_of_peak_sustained_active"},
    {"Achieved Active Warps Per SM", "sm__warps_active.avg.per_cycle_active"},
    {"Theoretical Occupancy", "sm__maximum_warps_per_active_cycle_pct"},
    {"Theoretical Active Warps per SM", "sm__maximum_warps_avg_per_active_cycle"},
    {"Block Limit SM", "launch__occupancy_limit_blocks"},
    {"Block Limit Registers", "launch__occupancy_limit_registers"},
    {"Block Limit Shared Mem", "launch__occupancy_limit_shared_mem"},
    {"Block Limit Warps", "launch__occupancy_limit_warps"},
}};

constexpr std::array<Section, 8> sections{{
    {"GPU Speed Of Light", speed_of_light},
    {"Memory Workload Analysis", memory},
    {"Compute Workload Analysis", compute},
    {"Scheduler Statistics", scheduler},
    {"Warp State Statistics", warp_state},
    {"Instruction Statistics", instructions},
    {"Launch Statistics", launch_names},
    {"Occupancy", occupancy},
}};

std::optional<CounterName> found_in(std::span<const Entry> entries, std::string_view theirs) {
  for (const Entry& entry : entries)
    if (entry.theirs == theirs)
      return CounterName{std::string(entry.ours), entry.factor};
  return std::nullopt;
}

} // namespace

std::optional<CounterName> counter_of_nvprof(std::string_view metric) {
  return found_in(nvprof, metric);
}

std::optional<CounterName> counter_of_ncu_label(std::string_view section, std::string_view label) {
  for (const Section& one : sections)
    if (section.starts_with(one.name))
      return found_in(one.entries, label);
  return std::nullopt;
}

std::string foreign_counter(std::string_view tool, std::string_view metric) {
  std::string name = std::string(tool) + "_";
  for (const char c : metric)
    if (std::isalnum(static_cast<unsigned char>(c)))
      name += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    else if (c == '%')
      name += name.back() == '_' ? "pct" : "_pct";
    else if (name.back() != '_')
      name += '_';
  while (name.ends_with('_'))
    name.pop_back();
  return name.insert(tool.size(), "_");
}

} // namespace gridsmith
