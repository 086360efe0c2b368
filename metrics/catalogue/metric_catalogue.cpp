// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/metrics/catalogue/metrics.hpp"

namespace gridsmith {
namespace {

using enum Better;

// Sources of the formulas, named once.
constexpr const char* nvprof_table = "Nsight Compute CLI guide, nvprof metric comparison";
constexpr const char* per_instruction =
    "Nsight Compute Profiling Guide, memory tables: one LSU instruction makes one request on 7.0 "
    "and later, so sectors per instruction are sectors per request in a single pass";
constexpr const char* own_duration =
    "bytes over the duration of the counted launch itself, never the timed one's";
constexpr const char* sector_size = "Nsight Compute Profiling Guide: a sector is 32 bytes";
constexpr const char* wavefronts =
    "Nsight Compute Profiling Guide, shared memory table: a request without conflicts takes one "
    "wavefront for each 128 bytes";
constexpr const char* scheduler = "Nsight Compute Profiling Guide, scheduler statistics";
constexpr const char* work_model =
    "the definition's work model over the median of the timed launches";
constexpr const char* operations = "a multiply-add is two operations";
constexpr const char* against_reference =
    "of all verified elements of all outputs, in double, against the reference rounded to the "
    "output's type: less than half a unit in the last place is not seen";
constexpr const char* board =
    "the board's energy counter (NVML) over launches back to back, the board's idle power included";

std::vector<Metric> time_metrics() {
  return {
      {"effective_gb_per_s", "GB/s", "GB/s", higher, {"model_bytes / time_ms / 1e6"}, work_model},
      {"gflop_per_s", "GFLOP/s", "GFLOP/s", higher, {"model_flops / time_ms / 1e6"}, work_model},
      {"percent_of_copy",
       "% copy",
       "%",
       higher,
       {"100 * effective_gb_per_s / peak_copy"},
       "device-to-device copy of the same machine, bytes read and written"},
      {"percent_of_dram_peak",
       "% DRAM peak",
       "%",
       higher,
       {"100 * effective_gb_per_s / peak_dram_gb_per_s"},
       "the device's peak: 2 * memory clock * bus width / 8"},
      {"percent_of_fp32_peak",
       "% FP32 peak",
       "%",
       higher,
       {"100 * gflop_per_s / peak_fp32_gflop_per_s"},
       "the device's peak: 2 * FP32 lanes * SMs * highest clock"},
      {"counted_time_ms",
       "counted ms",
       "ms",
       lower,
       {"duration_ns / 1e6"},
       "of the counted launch itself: caches as the timed ones find them, nothing else running"},
  };
}

std::vector<Metric> global_metrics() {
  return {
      {"load_sectors_per_request",
       "ld sect/req",
       "",
       lower,
       {"load_sectors / load_instructions"},
       per_instruction,
       {"async_copies", "tma_loads"}},
      {"store_sectors_per_request",
       "st sect/req",
       "",
       lower,
       {"store_sectors / store_instructions"},
       per_instruction,
       {"tma_stores"}},
      {"load_ideal_sectors_per_request",
       "ld ideal",
       "",
       neither,
       {"min(load_sectors, load_data_bytes / 32) / load_instructions"},
       "bytes that the threads asked for, in whole sectors; never more than was moved, since "
       "threads may ask for the same"},
      {"store_ideal_sectors_per_request",
       "st ideal",
       "",
       neither,
       {"min(store_sectors, store_data_bytes / 32) / store_instructions"},
       "bytes that the threads wrote, in whole sectors"},
      {"load_efficiency_percent",
       "ld eff",
       "%",
       higher,
       {"100 * load_data_bytes / (32 * load_sectors)"},
       nvprof_table},
      {"store_efficiency_percent",
       "st eff",
       "%",
       higher,
       {"100 * store_data_bytes / (32 * store_sectors)"},
       nvprof_table},
      {"load_gb_per_s",
       "ld GB/s",
       "GB/s",
       higher,
       {"32 * load_sectors / duration_ns"},
       own_duration},
      {"store_gb_per_s",
       "st GB/s",
       "GB/s",
       higher,
       {"32 * store_sectors / duration_ns"},
       own_duration},
      {"local_sectors_per_request",
       "lcl sect/req",
       "",
       lower,
       {"(local_load_sectors + local_store_sectors) / (local_load_instructions + "
        "local_store_instructions)"},
       per_instruction},
      {"local_share_percent",
       "lcl %",
       "%",
       lower,
       {"100 * (local_load_sectors + local_store_sectors) / (local_load_sectors + "
        "local_store_sectors + load_sectors + store_sectors)"},
       "nvprof's local_memory_overhead, over sectors of L1"},
      {"atomic_sectors_per_request",
       "atom sect/req",
       "",
       lower,
       {"(atomic_sectors + reduction_sectors) / (atomics + reductions)"},
       per_instruction},
      {"async_copy_gb_per_s",
       "async GB/s",
       "GB/s",
       higher,
       {"async_copy_bytes / duration_ns"},
       own_duration},
      {"tma_load_gb_per_s",
       "TMA ld GB/s",
       "GB/s",
       higher,
       {"32 * tma_load_sectors / duration_ns"},
       own_duration},
      {"tma_store_gb_per_s",
       "TMA st GB/s",
       "GB/s",
       higher,
       {"32 * tma_store_sectors / duration_ns"},
       own_duration},
      {"texture_sectors_per_request",
       "tex sect/req",
       "",
       lower,
       {"texture_sectors / texture_requests"},
       sector_size},
  };
}

std::vector<Metric> dram_metrics() {
  return {
      {"dram_bytes", "DRAM", "B", lower, {"dram_read_bytes + dram_write_bytes"}, nvprof_table},
      {"dram_read_gb_per_s",
       "DRAM rd GB/s",
       "GB/s",
       higher,
       {"dram_read_bytes / duration_ns"},
       own_duration},
      {"dram_write_gb_per_s",
       "DRAM wr GB/s",
       "GB/s",
       higher,
       {"dram_write_bytes / duration_ns"},
       own_duration},
      {"dram_gb_per_s", "DRAM GB/s", "GB/s", higher, {"dram_bytes / duration_ns"}, own_duration},
      {"dram_percent_of_peak",
       "DRAM %",
       "%",
       higher,
       {"dram_percent", "100 * dram_gb_per_s / peak_dram_gb_per_s"},
       nvprof_table},
      {"dram_bytes_over_model",
       "DRAM/least",
       "",
       lower,
       {"dram_bytes / model_bytes"},
       "1 means the launch moved what the algorithm needs and no more"},
      {"memory_efficiency",
       "mem eff",
       "",
       higher,
       {"model_bytes / time_ms / 1e6 / dram_gb_per_s"},
       "effective bandwidth of the timed launches over DRAM throughput of the counted one"},
  };
}

std::vector<Metric> cache_metrics() {
  return {
      {"l2_gb_per_s",
       "L2 GB/s",
       "GB/s",
       higher,
       {"32 * (l2_read_sectors + l2_write_sectors) / duration_ns"},
       own_duration},
      {"l2_atomic_sectors",
       "L2 atom sect",
       "",
       lower,
       {"l2_atom_sectors + l2_red_sectors"},
       "atomics that return the old value, and reductions, which do not; both are counted apart "
       "from reads and writes"},
      {"l2_slice_imbalance",
       "L2 max/avg",
       "",
       lower,
       {"l2_requests_max / l2_requests_mean"},
       "1 means that all slices of L2 were asked alike"},
  };
}

std::vector<Metric> shared_metrics() {
  return {
      {"shared_load_wavefronts_per_request",
       "sh ld wavefronts/req",
       "",
       lower,
       {"shared_load_wavefronts / shared_load_instructions"},
       wavefronts},
      {"shared_store_wavefronts_per_request",
       "sh st wavefronts/req",
       "",
       lower,
       {"shared_store_wavefronts / shared_store_instructions"},
       wavefronts},
      {"shared_atomic_wavefronts_per_request",
       "sh atom wavefronts/req",
       "",
       lower,
       {"shared_atomic_wavefronts / shared_atomics"},
       wavefronts},
      {"shared_efficiency_percent",
       "sh eff",
       "%",
       higher,
       {"100 * (shared_load_data_bytes + shared_store_data_bytes) / (128 * (shared_load_wavefronts "
        "+ shared_store_wavefronts))"},
       wavefronts},
      {"constant_replays_per_request",
       "const replays/req",
       "",
       lower,
       {"constant_replays / constant_instructions"},
       "0 where all threads of a warp ask for the same place"},
  };
}

std::vector<Metric> sm_metrics() {
  return {
      {"achieved_occupancy", "occ %", "%", higher, {"warps_active_percent"}, nvprof_table},
      {"ipc",
       "IPC",
       "",
       higher,
       {"instructions_per_cycle"},
       "nvprof's ipc is per SM too, over active cycles"},
      {"sm_active_percent",
       "SM act %",
       "%",
       higher,
       {"100 * sm_active_cycles / sm_elapsed_cycles"},
       "nvprof's sm_efficiency, from SM cycles"},
      {"sm_imbalance",
       "SM max/avg",
       "",
       lower,
       {"sm_active_cycles_max / sm_active_cycles"},
       "1 means that all SMs worked equally long"},
      {"eligible_warps", "eligible", "", higher, {"eligible_warps_per_scheduler"}, scheduler},
      {"branch_efficiency_percent",
       "branch eff",
       "%",
       higher,
       {"100 * (1 - divergent_branch_targets / branch_targets)"},
       nvprof_table},
      {"fp32_gflop_per_s",
       "FP32 GFLOP/s",
       "GFLOP/s",
       higher,
       {"(fadd + fmul + 2 * ffma) / duration_ns"},
       operations},
      {"fp64_gflop_per_s",
       "FP64 GFLOP/s",
       "GFLOP/s",
       higher,
       {"(dadd + dmul + 2 * dfma) / duration_ns"},
       operations},
      {"fp16_gflop_per_s",
       "FP16 GFLOP/s",
       "GFLOP/s",
       higher,
       {"(hadd + hmul + 2 * hfma) / duration_ns"},
       operations},
      {"sm_clock_ghz",
       "GHz",
       "GHz",
       higher,
       {"sm_elapsed_cycles / duration_ns"},
       "cycles over nanoseconds of the counted launch"},
  };
}

std::vector<Metric> result_metrics() {
  return {
      {"max_abs_error", "max abs err", "", lower, {"max_abs_difference"}, against_reference},
      {"max_rel_error", "max rel err", "", lower, {"max_rel_difference"}, against_reference},
      {"mean_abs_error", "mean abs err", "", lower, {"mean_abs_difference"}, against_reference},
      {"mean_rel_error", "mean rel err", "", lower, {"mean_rel_difference"}, against_reference},
      {"rms_error", "RMS err", "", lower, {"rms_difference"}, against_reference},
      {"max_ulp_error", "max ULP", "ULP", lower, {"max_ulp_difference"}, against_reference},
      {"cosine_similarity", "cosine", "", higher, {"cosine"}, against_reference},
  };
}

std::vector<Metric> board_metrics() {
  return {
      {"energy_mj", "mJ", "mJ", lower, {"launch_energy"}, board},
      {"energy_above_idle_mj",
       "mJ above idle",
       "mJ",
       lower,
       {"launch_energy - idle_power * metered_launch_ms"},
       "energy_mj without what the idle board uses in that time"},
      {"power_w", "W", "W", lower, {"board_power"}, board},
      {"energy_delay",
       "mJ ms",
       "mJ ms",
       lower,
       {"launch_energy * metered_launch_ms"},
       "energy times time, both of launches back to back"},
      {"gflop_per_j",
       "GFLOP/J",
       "GFLOP/J",
       higher,
       {"model_flops / launch_energy / 1e6"},
       "the definition's work model over energy_mj"},
      {"gb_per_j",
       "GB/J",
       "GB/J",
       higher,
       {"model_bytes / launch_energy / 1e6"},
       "the definition's work model over energy_mj"},
  };
}

} // namespace

const std::vector<Metric>& metric_catalogue() {
  static const std::vector<Metric> catalogue = [] {
    std::vector<Metric> all;
    for (const auto& part : {time_metrics(), global_metrics(), dram_metrics(), sm_metrics(),
                             cache_metrics(), shared_metrics(), result_metrics(), board_metrics()})
      all.insert(all.end(), part.begin(), part.end());
    return all;
  }();
  return catalogue;
}

} // namespace gridsmith
