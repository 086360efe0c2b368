// SPDX-License-Identifier: Apache-2.0
// The facts of one GPU: a plain value, copied freely, no handle inside. Queried by the worker, read
// from a recording, or written by a test.
#pragma once

#include "gridsmith/base/fields.hpp"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace gridsmith {

/// Sizes in bytes, clocks in kHz, counts per what the name says. 0 or "" where unknown.
struct Device {
  std::string name;           ///< "NVIDIA H200"
  std::string uuid;           ///< tells two equal boards apart
  std::string chip;           ///< CUPTI's chip name ("GH100"); "" when CUPTI could not say
  int ordinal = 0;            ///< number of the device on its machine
  int compute_capability = 0; ///< 10 * major + minor: 90
  int sm_count = 0;
  int warp_size = 32;
  int warp_schedulers_per_sm = 0;
  int max_threads_per_block = 0;
  int max_threads_per_sm = 0;
  int max_blocks_per_sm = 0;
  int max_block_extent[3] = {0, 0, 0};
  std::int64_t max_grid_extent[3] = {0, 0, 0};
  int registers_per_sm = 0;
  int registers_per_block = 0;
  std::int64_t shared_bytes_per_sm = 0;
  std::int64_t shared_bytes_per_block = 0;       ///< without opt-in
  std::int64_t shared_bytes_per_block_optin = 0; ///< with opt-in
  std::int64_t reserved_shared_bytes_per_block = 0;
  std::int64_t l2_bytes = 0;
  std::int64_t memory_bytes = 0;
  int sm_clock_khz = 0;     ///< highest
  int memory_clock_khz = 0; ///< highest
  int memory_bus_bits = 0;
  double peak_dram_gb_per_s = 0;    ///< from memory clock and bus width: 2 * clock * width / 8
  double peak_fp32_gflop_per_s = 0; ///< 2 * FP32 lanes * SMs * highest clock
  std::string driver_version;       ///< "580.159" or the CUDA version the driver offers
  std::string toolkit_version;      ///< "13.0"

  bool operator==(const Device&) const = default;
};

template <Like<Device> T>
void for_fields(T& v, auto&& visit) {
  visit("name", v.name);
  visit("uuid", v.uuid);
  visit("chip", v.chip);
  visit("ordinal", v.ordinal);
  visit("compute_capability", v.compute_capability);
  visit("sm_count", v.sm_count);
  visit("warp_size", v.warp_size);
  visit("warp_schedulers_per_sm", v.warp_schedulers_per_sm);
  visit("max_threads_per_block", v.max_threads_per_block);
  visit("max_threads_per_sm", v.max_threads_per_sm);
  visit("max_blocks_per_sm", v.max_blocks_per_sm);
  visit("max_block_extent", v.max_block_extent);
  visit("max_grid_extent", v.max_grid_extent);
  visit("registers_per_sm", v.registers_per_sm);
  visit("registers_per_block", v.registers_per_block);
  visit("shared_bytes_per_sm", v.shared_bytes_per_sm);
  visit("shared_bytes_per_block", v.shared_bytes_per_block);
  visit("shared_bytes_per_block_optin", v.shared_bytes_per_block_optin);
  visit("reserved_shared_bytes_per_block", v.reserved_shared_bytes_per_block);
  visit("l2_bytes", v.l2_bytes);
  visit("memory_bytes", v.memory_bytes);
  visit("sm_clock_khz", v.sm_clock_khz);
  visit("memory_clock_khz", v.memory_clock_khz);
  visit("memory_bus_bits", v.memory_bus_bits);
  visit("peak_dram_gb_per_s", v.peak_dram_gb_per_s);
  visit("peak_fp32_gflop_per_s", v.peak_fp32_gflop_per_s);
  visit("driver_version", v.driver_version);
  visit("toolkit_version", v.toolkit_version);
}

/// Facts by the names that expressions use (sm_count, max_threads_per_block, …), as numbers.
std::vector<std::pair<std::string, double>> device_facts(const Device& device);

/// The device of a compute capability by the published tables (occupancy limits only, no clocks or
/// sizes): what `gridsmith occupancy` and simulations use where no GPU is. cc = 10*major+minor, 10
/// (1.0) … 121 (12.1).
/// @throws InputError naming the covered capabilities.
Device device_of_capability(int compute_capability);
/// All capabilities of the table, ascending.
const std::vector<int>& known_capabilities();

/// FP32 multiply-adds per clock per SM (CUDA C Programming Guide, arithmetic throughput); 0 for a
/// capability outside the table.
int fp32_lanes_per_sm(int compute_capability);
/// Of an unlisted capability: those of the nearest listed below it.
int warp_schedulers_of_capability(int compute_capability);
/// 2 * clock * width / 8: both edges of the clock carry data. 0 when a fact is 0.
double peak_dram_gb_per_s_of(int memory_clock_khz, int memory_bus_bits);
/// 2 * FP32 lanes * SMs * clock: a multiply-add is two operations. 0 when a fact is unknown.
double peak_fp32_gflop_per_s_of(int compute_capability, int sm_count, int sm_clock_khz);

} // namespace gridsmith
