// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/metrics/catalogue/counters.hpp"

#include <algorithm>
#include <array>
#include <span>

namespace gridsmith {
namespace {

using enum Counter::Where;

constexpr double dram_sector_bytes = 32; // Nsight Compute documentation, "Metrics Structure"

// Percentages are of what the unit can sustain over the whole duration, unless they say "active".
std::vector<Counter> general_counters() {
  return {
      {"duration_ns", "gpu__time_duration.sum", "time of the counted launch itself, in ns"},
      {"sm_elapsed_cycles", "sm__cycles_elapsed.max", "cycles from start to end"},
      {"sm_active_cycles", "sm__cycles_active.avg", "cycles with a warp, of the average SM"},
      {"sm_active_cycles_max", "sm__cycles_active.max", "cycles with a warp, of the busiest SM"},
      {"instructions", "smsp__inst_executed.sum", "instructions of warps"},
      {"thread_instructions", "smsp__thread_inst_executed.sum", "instructions of threads"},
      {"threads_per_instruction", "smsp__thread_inst_executed_per_inst_executed.ratio",
       "active threads of a warp, on average"},
      {"threads_per_instruction_predicated",
       "smsp__thread_inst_executed_pred_on_per_inst_executed.ratio",
       "active threads whose predicate holds, on average"},
      {"instructions_per_cycle", "sm__inst_executed.avg.per_cycle_elapsed", "per SM"},
      {"warps", "smsp__warps_launched.sum", "warps launched"},
      {"warps_active_percent", "sm__warps_active.avg.pct_of_peak_sustained_active",
       "warps on an SM that has any, of those it can hold"},
      {"warps_per_scheduler", "smsp__warps_active.avg.per_cycle_active", "warps of a scheduler"},
      {"eligible_warps_per_scheduler", "smsp__warps_eligible.avg.per_cycle_active",
       "warps of a scheduler that could issue"},
      {"issue_active_percent", "smsp__issue_active.avg.pct_of_peak_sustained_active",
       "active cycles in which a scheduler issued"},
      {"issue_percent", "smsp__issue_active.avg.pct_of_peak_sustained_elapsed",
       "cycles in which a scheduler issued"},
      {"branches", "smsp__inst_executed_op_branch.sum", "branch instructions of warps"},
      {"branch_targets", "smsp__sass_branch_targets.sum", "branches taken or not"},
      {"divergent_branch_targets", "smsp__sass_branch_targets_threads_divergent.sum",
       "branches that parted the threads of a warp"},
  };
}

std::vector<Counter> pipe_counters() {
  return {
      {"alu_percent", "sm__inst_executed_pipe_alu.avg.pct_of_peak_sustained_elapsed",
       "integer and logic pipe"},
      {"fma_percent", "sm__inst_executed_pipe_fma.avg.pct_of_peak_sustained_elapsed",
       "FP32 and integer multiply-add pipe"},
      {"fp64_percent", "sm__inst_executed_pipe_fp64.avg.pct_of_peak_sustained_elapsed",
       "FP64 pipe"},
      {"xu_percent", "sm__inst_executed_pipe_xu.avg.pct_of_peak_sustained_elapsed",
       "pipe of special functions and conversions"},
      {"lsu_percent", "sm__inst_executed_pipe_lsu.avg.pct_of_peak_sustained_elapsed",
       "load-store pipe"},
      {"adu_percent", "sm__inst_executed_pipe_adu.avg.pct_of_peak_sustained_elapsed",
       "pipe of address divergence: indexed constants, barriers"},
      {"cbu_percent", "sm__inst_executed_pipe_cbu.avg.pct_of_peak_sustained_elapsed",
       "pipe of branches and convergence"},
      {"uniform_percent", "sm__inst_executed_pipe_uniform.avg.pct_of_peak_sustained_elapsed",
       "uniform pipe"},
      {"tensor_percent", "sm__pipe_tensor_cycles_active.avg.pct_of_peak_sustained_elapsed",
       "tensor pipe"},
      {"alu_instructions", "sm__inst_executed_pipe_alu.sum", "of warps, on the integer pipe"},
      {"fma_instructions", "sm__inst_executed_pipe_fma.sum", "of warps, on the multiply-add pipe"},
      {"fp64_instructions", "sm__inst_executed_pipe_fp64.sum", "of warps, on the FP64 pipe"},
      {"xu_instructions", "sm__inst_executed_pipe_xu.sum",
       "of warps, special functions and conversions"},
      {"lsu_instructions", "sm__inst_executed_pipe_lsu.sum", "of warps, on the load-store pipe"},
      {"tensor_instructions", "sm__inst_executed_pipe_tensor.sum", "of warps, on the tensor pipe"},
      {"fadd", "smsp__sass_thread_inst_executed_op_fadd_pred_on.sum", "FP32 additions"},
      {"fmul", "smsp__sass_thread_inst_executed_op_fmul_pred_on.sum", "FP32 multiplications"},
      {"ffma", "smsp__sass_thread_inst_executed_op_ffma_pred_on.sum", "FP32 multiply-adds"},
      {"dadd", "smsp__sass_thread_inst_executed_op_dadd_pred_on.sum", "FP64 additions"},
      {"dmul", "smsp__sass_thread_inst_executed_op_dmul_pred_on.sum", "FP64 multiplications"},
      {"dfma", "smsp__sass_thread_inst_executed_op_dfma_pred_on.sum", "FP64 multiply-adds"},
      {"hadd", "smsp__sass_thread_inst_executed_op_hadd_pred_on.sum", "FP16 additions"},
      {"hmul", "smsp__sass_thread_inst_executed_op_hmul_pred_on.sum", "FP16 multiplications"},
      {"hfma", "smsp__sass_thread_inst_executed_op_hfma_pred_on.sum", "FP16 multiply-adds"},
      {"integer_operations", "smsp__sass_thread_inst_executed_op_integer_pred_on.sum",
       "integer instructions of threads"},
      {"conversions", "smsp__sass_thread_inst_executed_op_conversion_pred_on.sum",
       "conversions between types, of threads"},
      {"control_operations", "smsp__sass_thread_inst_executed_op_control_pred_on.sum",
       "control flow, of threads"},
  };
}

std::vector<Counter> global_counters() {
  return {
      {"load_sectors", "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum",
       "32-byte sectors that global loads asked for"},
      {"store_sectors", "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum",
       "32-byte sectors that global stores wrote"},
      {"load_instructions", "smsp__inst_executed_op_global_ld.sum", "global loads of warps"},
      {"store_instructions", "smsp__inst_executed_op_global_st.sum", "global stores of warps"},
      {"load_data_bytes", "smsp__sass_data_bytes_mem_global_op_ld.sum",
       "bytes that threads asked for by global loads"},
      {"store_data_bytes", "smsp__sass_data_bytes_mem_global_op_st.sum",
       "bytes that threads wrote by global stores"},
      {"accesses_8_bit", "smsp__sass_inst_executed_op_memory_8b.sum",
       "memory instructions of warps with 8 bits a thread"},
      {"accesses_16_bit", "smsp__sass_inst_executed_op_memory_16b.sum", "with 16 bits"},
      {"accesses_32_bit", "smsp__sass_inst_executed_op_memory_32b.sum", "with 32 bits"},
      {"accesses_64_bit", "smsp__sass_inst_executed_op_memory_64b.sum", "with 64 bits"},
      {"accesses_128_bit", "smsp__sass_inst_executed_op_memory_128b.sum", "with 128 bits"},
      {"local_load_sectors", "l1tex__t_sectors_pipe_lsu_mem_local_op_ld.sum",
       "32-byte sectors of local loads: spills and arrays of a thread"},
      {"local_store_sectors", "l1tex__t_sectors_pipe_lsu_mem_local_op_st.sum",
       "32-byte sectors of local stores"},
      {"local_load_instructions", "smsp__inst_executed_op_local_ld.sum", "local loads of warps"},
      {"local_store_instructions", "smsp__inst_executed_op_local_st.sum", "local stores of warps"},
      {"reductions", "smsp__sass_inst_executed_op_global_red.sum",
       "global atomics of warps that return nothing"},
      {"atomics", "smsp__sass_inst_executed_op_global_atom.sum",
       "global atomics of warps that return the old value"},
      {"reduction_sectors", "l1tex__t_sectors_pipe_lsu_mem_global_op_red.sum",
       "32-byte sectors of reductions"},
      {"atomic_sectors", "l1tex__t_sectors_pipe_lsu_mem_global_op_atom.sum",
       "32-byte sectors of atomics"},
      {"async_copies", "smsp__inst_executed_op_ldgsts.sum", "asynchronous copies (LDGSTS) of warps",
       from_ampere},
      {"async_copy_bytes", "smsp__sass_data_bytes_mem_global_op_ldgsts.sum",
       "bytes that asynchronous copies asked for", from_ampere},
      {"tma_loads", "smsp__inst_executed_op_tma_ld.sum", "TMA loads of warps", from_hopper},
      {"tma_stores", "smsp__inst_executed_op_tma_st.sum", "TMA stores of warps", from_hopper},
      {"tma_load_sectors", "l1tex__m_xbar2l1tex_read_sectors_mem_global_op_tma_ld.sum",
       "32-byte sectors that TMA loads brought", from_hopper},
      {"tma_store_sectors", "l1tex__m_l1tex2xbar_write_sectors_mem_global_op_tma_st.sum",
       "32-byte sectors that TMA stores wrote", from_hopper},
      {"texture_instructions", "smsp__inst_executed_op_texture.sum", "texture reads of warps"},
      {"texture_sectors", "l1tex__t_sectors_pipe_tex_mem_texture.sum",
       "32-byte sectors of texture reads"},
      {"texture_requests", "l1tex__t_requests_pipe_tex_mem_texture.sum", "texture requests"},
  };
}

std::vector<Counter> shared_counters() {
  return {
      {"shared_load_instructions", "smsp__inst_executed_op_shared_ld.sum", "shared loads of warps"},
      {"shared_store_instructions", "smsp__inst_executed_op_shared_st.sum",
       "shared stores of warps"},
      {"shared_atomics", "smsp__inst_executed_op_shared_atom.sum", "shared atomics of warps"},
      {"shared_load_wavefronts", "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum",
       "passes that shared loads took"},
      {"shared_store_wavefronts", "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum",
       "passes that shared stores took"},
      {"shared_atomic_wavefronts", "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_atom.sum",
       "passes that shared atomics took"},
      {"shared_load_conflicts", "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum",
       "passes lost to bank conflicts of loads"},
      {"shared_store_conflicts", "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum",
       "passes lost to bank conflicts of stores"},
      {"shared_load_data_bytes", "smsp__sass_data_bytes_mem_shared_op_ld.sum",
       "bytes that threads asked for by shared loads"},
      {"shared_store_data_bytes", "smsp__sass_data_bytes_mem_shared_op_st.sum",
       "bytes that threads wrote by shared stores"},
      {"shared_wavefronts", "l1tex__data_pipe_lsu_wavefronts_mem_shared.sum",
       "passes of all shared accesses"},
      {"constant_instructions", "smsp__inst_executed_op_ldc.sum",
       "loads of warps from constant memory by a computed index"},
      {"constant_requests", "idc__requests.sum", "requests to the indexed constant cache"},
      {"constant_replays", "sm__idc_divergent_instruction_replays.sum",
       "repeats of constant loads whose threads asked for several places"},
      {"constant_percent", "idc__requests.avg.pct_of_peak_sustained_elapsed",
       "indexed constant cache"},
      {"constant_misses", "idc__requests_lookup_miss.sum", "misses of the indexed constant cache"},
  };
}

std::vector<Counter> cache_counters() {
  return {
      {"l1_wavefront_percent", "l1tex__data_pipe_lsu_wavefronts.avg.pct_of_peak_sustained_elapsed",
       "data stage of L1 and shared memory"},
      {"l1_request_percent", "l1tex__lsuin_requests.avg.pct_of_peak_sustained_elapsed",
       "input of L1"},
      {"l1_tag_percent", "l1tex__t_sectors.avg.pct_of_peak_sustained_elapsed", "tag stage of L1"},
      {"l1_writeback_percent", "l1tex__lsu_writeback_active.avg.pct_of_peak_sustained_elapsed",
       "return of loads to registers"},
      {"l1_hit_percent", "l1tex__t_sector_hit_rate.pct", "sectors found in L1"},
      {"l1_fill_percent", "l1tex__m_xbar2l1tex_read_sectors.avg.pct_of_peak_sustained_elapsed",
       "way from L2 to L1"},
      {"l1_fill_sectors", "l1tex__m_xbar2l1tex_read_sectors.sum", "32-byte sectors from L2 to L1"},
      {"l2_read_sectors", "lts__t_sectors_op_read.sum", "32-byte sectors read from L2"},
      {"l2_write_sectors", "lts__t_sectors_op_write.sum", "32-byte sectors written to L2"},
      {"l2_atom_sectors", "lts__t_sectors_op_atom.sum", "32-byte sectors of atomics in L2"},
      {"l2_red_sectors", "lts__t_sectors_op_red.sum", "32-byte sectors of reductions in L2"},
      {"l2_tag_percent", "lts__t_sectors.avg.pct_of_peak_sustained_elapsed", "tag stage of L2"},
      {"l2_data_percent", "lts__d_sectors.avg.pct_of_peak_sustained_elapsed", "data stage of L2"},
      {"l2_hit_percent", "lts__t_sector_hit_rate.pct", "sectors found in L2"},
      {"l2_atomic_percent", "lts__d_atomic_input_cycles_active.avg.pct_of_peak_sustained_elapsed",
       "atomic units of L2, on average"},
      {"l2_atomic_cycles_max", "lts__d_atomic_input_cycles_active.max",
       "cycles that the busiest atomic unit of L2 worked"},
      {"l2_elapsed_cycles", "lts__cycles_elapsed.max", "cycles of L2 from start to end"},
      {"l2_requests_max", "lts__t_requests.max", "requests to the busiest slice of L2"},
      {"l2_requests_mean", "lts__t_requests.avg", "requests to the average slice of L2"},
      {"dram_read_bytes", "dram__bytes_read.sum", "bytes read from DRAM", own_dram,
       "dram__bytes_op_read.sum", "dram__sectors_read.sum"},
      {"dram_write_bytes", "dram__bytes_write.sum", "bytes written to DRAM", own_dram,
       "dram__bytes_op_write.sum", "dram__sectors_write.sum"},
      {"dram_percent", "dram__throughput.avg.pct_of_peak_sustained_elapsed", "DRAM", own_dram},
  };
}

// Warps that waited per issued instruction, by what for.
std::vector<Counter> stall_counters() {
  return {
      {"stall_barrier", "smsp__average_warps_issue_stalled_barrier_per_issue_active.ratio",
       "at a barrier"},
      {"stall_branch", "smsp__average_warps_issue_stalled_branch_resolving_per_issue_active.ratio",
       "for a branch"},
      {"stall_dispatch", "smsp__average_warps_issue_stalled_dispatch_stall_per_issue_active.ratio",
       "for the dispatcher"},
      {"stall_drain", "smsp__average_warps_issue_stalled_drain_per_issue_active.ratio",
       "for stores at the end"},
      {"stall_gmma", "smsp__average_warps_issue_stalled_gmma_per_issue_active.ratio",
       "for warp-group matrix instructions", hopper},
      {"stall_constant", "smsp__average_warps_issue_stalled_imc_miss_per_issue_active.ratio",
       "for the immediate constant cache", to_hopper},
      {"stall_lg_throttle", "smsp__average_warps_issue_stalled_lg_throttle_per_issue_active.ratio",
       "for space in the queue of local and global accesses"},
      {"stall_long_scoreboard",
       "smsp__average_warps_issue_stalled_long_scoreboard_per_issue_active.ratio",
       "for global, local or texture data"},
      {"stall_math_throttle",
       "smsp__average_warps_issue_stalled_math_pipe_throttle_per_issue_active.ratio",
       "for a busy arithmetic pipe"},
      {"stall_membar", "smsp__average_warps_issue_stalled_membar_per_issue_active.ratio",
       "for a memory fence"},
      {"stall_mio_throttle",
       "smsp__average_warps_issue_stalled_mio_throttle_per_issue_active.ratio",
       "for space in the queue of shared accesses and special functions"},
      {"stall_misc", "smsp__average_warps_issue_stalled_misc_per_issue_active.ratio",
       "for other things"},
      {"stall_no_instruction",
       "smsp__average_warps_issue_stalled_no_instruction_per_issue_active.ratio",
       "for the instruction cache"},
      {"stall_not_selected",
       "smsp__average_warps_issue_stalled_not_selected_per_issue_active.ratio",
       "while another warp issued"},
      {"stall_selected", "smsp__average_warps_issue_stalled_selected_per_issue_active.ratio",
       "not at all: it issued"},
      {"stall_short_scoreboard",
       "smsp__average_warps_issue_stalled_short_scoreboard_per_issue_active.ratio",
       "for shared memory or special functions"},
      {"stall_sleeping", "smsp__average_warps_issue_stalled_sleeping_per_issue_active.ratio",
       "asleep"},
      {"stall_texture", "smsp__average_warps_issue_stalled_tex_throttle_per_issue_active.ratio",
       "for space in the queue of textures"},
      {"stall_wait", "smsp__average_warps_issue_stalled_wait_per_issue_active.ratio",
       "for the fixed time an instruction takes"},
  };
}

// One row per measure; what it says of several outputs it says of all their elements.
std::vector<Counter> result_counters() {
  return {
      {"max_abs_difference", "result__abs_difference.max",
       "the largest difference from what is expected"},
      {"max_rel_difference", "result__rel_difference.max",
       "the largest difference as a part of the expected value, where that is not 0"},
      {"mean_abs_difference", "result__abs_difference.avg", "mean of the differences' sizes"},
      {"mean_rel_difference", "result__rel_difference.avg",
       "mean of the differences as parts of the expected values, of 0 where that is 0"},
      {"rms_difference", "result__difference.rms", "root mean square of the differences"},
      {"max_ulp_difference", "result__ulp_difference.max",
       "the most numbers of the output's type that lie between result and what is expected"},
      {"cosine", "result__cosine.ratio", "cosine of the angle between result and what is expected"},
  };
}

std::vector<Counter> board_counters() {
  return {
      {"launch_energy", "nvml__launch_energy.mj",
       "the whole board's energy of a launch, while launches follow one another"},
      {"launch_energy_low", "nvml__launch_energy_low.mj", "lower end of its 95 % interval"},
      {"launch_energy_high", "nvml__launch_energy_high.mj", "upper end of its 95 % interval"},
      {"board_power", "nvml__board_power.w", "the whole board's power meanwhile"},
      {"idle_power", "nvml__idle_power.w", "the whole board's power with nothing launched"},
      {"metered_launch_ms", "nvml__launch_time.ms", "time from launch to launch meanwhile"},
      {"board_temperature", "nvml__temperature.degrees", "the GPU's temperature at the end"},
  };
}

bool begins(std::string_view chip, std::string_view with) {
  return chip.substr(0, with.size()) == with;
}

bool is_one_of(std::string_view chip, std::span<const std::string_view> chips) {
  return std::find(chips.begin(), chips.end(), chip) != chips.end();
}

bool has_own_dram(std::string_view chip) {
  static constexpr std::array<std::string_view, 4> without = {"GV11B", "GA10B", "GB10B", "GB20B"};
  return !is_one_of(chip, without);
}

bool is_gb20x(std::string_view chip) {
  return begins(chip, "GB20") && has_own_dram(chip);
}

bool before_ampere(std::string_view chip) {
  return begins(chip, "TU") || begins(chip, "GV");
}

bool from_hopper_on(std::string_view chip) {
  return begins(chip, "GH") || begins(chip, "GB");
}

} // namespace

const std::vector<Counter>& counter_catalogue() {
  static const std::vector<Counter> catalogue = [] {
    std::vector<Counter> all;
    for (const auto& part :
         {general_counters(), pipe_counters(), global_counters(), shared_counters(),
          cache_counters(), stall_counters(), result_counters(), board_counters()})
      all.insert(all.end(), part.begin(), part.end());
    return all;
  }();
  return catalogue;
}

CounterKind counter_kind(std::string_view name) {
  return begins(name, "nvml__")     ? CounterKind::board
         : begins(name, "result__") ? CounterKind::result
                                    : CounterKind::profiler;
}

bool profiled(const CounterValues& values) {
  return std::any_of(values.begin(), values.end(), [](const auto& one) {
    return counter_kind(one.first) == CounterKind::profiler;
  });
}

const Counter* find_counter(std::string_view name) {
  static const auto by_name = [] {
    std::map<std::string_view, const Counter*> all;
    for (const Counter& one : counter_catalogue())
      all.emplace(one.name, &one);
    return all;
  }();
  const auto found = by_name.find(name);
  return found == by_name.end() ? nullptr : found->second;
}

std::string_view why_missing(const Counter& counter, std::string_view chip) {
  switch (counter.where) {
  case everywhere:
    return "";
  case own_dram:
    return has_own_dram(chip) ? "" : "its memory is the host's, and no counter sees it";
  case from_ampere:
    return before_ampere(chip) ? "it has no asynchronous copies" : "";
  case from_hopper:
    return from_hopper_on(chip) ? "" : "it has no tensor memory accelerator";
  case hopper:
    return begins(chip, "GH") ? "" : "it has no warp-group matrix instructions";
  case to_hopper:
    return begins(chip, "GB") ? "it counts no misses of immediate constants" : "";
  }
  return "";
}

std::optional<std::string_view> name_on(const Counter& counter, std::string_view chip) {
  if (!why_missing(counter, chip).empty())
    return std::nullopt;
  return !counter.on_gb20x.empty() && is_gb20x(chip) ? counter.on_gb20x : counter.cupti;
}

std::optional<double> value_of(const Counter& counter, const CounterValues& values) {
  for (const auto name : {counter.cupti, counter.on_gb20x})
    if (const auto found = values.find(std::string(name)); found != values.end())
      return found->second;
  if (!counter.in_sectors.empty())
    if (const auto found = values.find(std::string(counter.in_sectors)); found != values.end())
      return dram_sector_bytes * found->second;
  return std::nullopt;
}

std::string_view counter_unit(std::string_view name) {
  const auto has = [&](std::string_view part) { return name.find(part) != name.npos; };
  const bool per_second = has(".per_second");
  if (has(".pct"))
    return "%";
  if (counter_kind(name) == CounterKind::board)
    return has(".mj") ? "mJ" : has(".w") ? "W" : has(".ms") ? "ms" : "°C";
  if (has(".ratio") || (has(".per_") && !per_second))
    return "";
  if (has("__bytes") || has("_data_bytes"))
    return per_second ? "B/s" : "B";
  if (has("__time_"))
    return "ns";
  if (has("__cycles") || has("_cycles_"))
    return per_second ? "Hz" : "cycles";
  return "";
}

} // namespace gridsmith
