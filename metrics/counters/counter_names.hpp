// CUPTI's names of the counters the sets collect and the metrics read, each written once.
#pragma once

#include <string_view>

namespace gridsmith::counter_names {

inline constexpr std::string_view time_ns = "gpu__time_duration.sum";
inline constexpr std::string_view load_sectors = "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum";
inline constexpr std::string_view store_sectors = "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum";
inline constexpr std::string_view load_instructions = "smsp__inst_executed_op_global_ld.sum";
inline constexpr std::string_view store_instructions = "smsp__inst_executed_op_global_st.sum";
inline constexpr std::string_view async_instructions = "smsp__inst_executed_op_ldgsts.sum";
inline constexpr std::string_view dram_read = "dram__bytes_read.sum";
inline constexpr std::string_view dram_write = "dram__bytes_write.sum";
inline constexpr std::string_view dram_read_gb20x = "dram__bytes_op_read.sum";
inline constexpr std::string_view dram_write_gb20x = "dram__bytes_op_write.sum";
inline constexpr std::string_view dram_percent =
    "dram__throughput.avg.pct_of_peak_sustained_elapsed";
inline constexpr std::string_view warps_percent =
    "sm__warps_active.avg.pct_of_peak_sustained_active";
inline constexpr std::string_view l2_read = "lts__t_sectors_op_read.sum";
inline constexpr std::string_view l2_write = "lts__t_sectors_op_write.sum";
inline constexpr std::string_view l2_atomics = "lts__t_sectors_op_atom.sum";
inline constexpr std::string_view l2_reductions = "lts__t_sectors_op_red.sum";
inline constexpr std::string_view sm_ipc = "sm__inst_executed.avg.per_cycle_elapsed";
inline constexpr std::string_view sm_active = "sm__cycles_active.avg";
inline constexpr std::string_view sm_elapsed = "sm__cycles_elapsed.max";
inline constexpr std::string_view shared_loads = "smsp__inst_executed_op_shared_ld.sum";
inline constexpr std::string_view shared_stores = "smsp__inst_executed_op_shared_st.sum";
inline constexpr std::string_view shared_load_waves =
    "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum";
inline constexpr std::string_view shared_store_waves =
    "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum";
inline constexpr std::string_view shared_load_conflicts =
    "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum";
inline constexpr std::string_view shared_store_conflicts =
    "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum";
inline constexpr std::string_view threads_per_inst =
    "smsp__thread_inst_executed_per_inst_executed.ratio";
inline constexpr std::string_view issue_percent =
    "smsp__issue_active.avg.pct_of_peak_sustained_active";
inline constexpr std::string_view eligible = "smsp__warps_eligible.sum.per_cycle_active";
inline constexpr std::string_view l1_hit = "l1tex__t_sector_hit_rate.pct";
inline constexpr std::string_view l2_hit = "lts__t_sector_hit_rate.pct";
inline constexpr std::string_view tma_loads = "smsp__inst_executed_op_tma_ld.sum";
inline constexpr std::string_view tma_stores = "smsp__inst_executed_op_tma_st.sum";

} // namespace gridsmith::counter_names
